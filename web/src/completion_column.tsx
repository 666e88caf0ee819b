import { useMemo, useState } from "preact/hooks";
import { Alternatives } from "./alternatives";
import { meanBits, timeToFirstToken, tokensPerSecond, type Column } from "./comparison";
import { CopyButton } from "./copy_button";
import { decimals, duration, probability } from "./numbers";
import { TokenRow } from "./token_row";
import { cutText, spell, type ShownToken } from "./tokens";

interface Props {
  column: Column;
  letter: string;
  prompt: string;
  /** Reading (false) shows plain text; inspecting shows each token and its parts. */
  shaded: boolean;
}

/** One model's completion as it arrives, its speed, and the token under the cursor. */
export function CompletionColumn({ column, letter, prompt, shaded }: Props) {
  const [chosen, setChosen] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const tokens = useMemo(() => {
    const cut = cutText(column.text, column.tokens);
    return shaded ? cut : cut.filter((token) => !token.partial);
  }, [column.text, column.tokens, shaded]);
  const active = shaded && hovered >= 0 ? hovered : Math.min(chosen, tokens.length - 1);
  const ended = column.state !== "waiting" && column.state !== "streaming";
  return (
    <article class="column" aria-label={`${letter}: ${column.model}`} data-state={column.state}>
      <header>
        <span class="badge" aria-hidden="true">
          {letter}
        </span>
        <h2>{column.model}</h2>
        <CopyButton label="Copy text" text={() => prompt + column.text} />
      </header>
      <p class="status" role="status">
        {statusOf(column)}
      </p>
      <div class="completion" aria-live="polite" aria-busy={!ended}>
        <span class="prompt-echo">{shorten(prompt)}</span>
        {tokens.length > 0 ? (
          <TokenRow
            id={`tokens-${letter}`}
            label={`Completion of ${letter}, token by token`}
            tokens={tokens}
            shading={shaded ? "surprise" : "none"}
            marks={shaded}
            numbers={false}
            active={active}
            onPlace={(index, how) => {
              setHovered(how === "hover" ? index : -1);
              if (how === "choose") setChosen(index);
            }}
          />
        ) : (
          column.text
        )}
      </div>
      <dl class="figures">
        <Figure name="tokens" value={String(column.tokens.length)} />
        <Figure name="tokens/s" value={decimals(tokensPerSecond(column) ?? NaN, 1)} />
        <Figure name="first token" value={optional(timeToFirstToken(column), duration)} />
        <Figure name="bits/token" value={decimals(meanBits(column) ?? NaN, 2)} />
      </dl>
      {(shaded || active >= 0) && <TokenDetails token={tokens[active]} />}
    </article>
  );
}

function TokenDetails({ token }: { token: ShownToken | undefined }) {
  if (!token) {
    return <p class="details hint">Point at a token, or focus the text and use the arrow keys.</p>;
  }
  return (
    <div class="details">
      <p aria-live="polite">
        <code>{spell(token.text)}</code>{" "}
        {token.bits !== null && `${decimals(token.bits, 2)} bits, ${probability(token.bits)}`}
      </p>
      {token.alternatives && <Alternatives list={token.alternatives} taken={token} />}
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function statusOf(column: Column): string {
  switch (column.state) {
    case "waiting":
      return "reading the prompt …";
    case "streaming":
      return "writing …";
    case "stopped":
      return "stopped by you";
    case "failed":
      return "broken off";
    case "done":
      if (column.finish === "length") return "ended at the length asked for";
      // The end of a document is a token without text; a stop string has no token of its own.
      return column.tokens.at(-1)?.text === "" ? "ended by itself" : "ended at the stop string";
  }
}

function optional(value: number | null, print: (value: number) => string): string {
  return value === null ? "–" : print(value);
}

/** A long prompt would push the completions off the screen: its end is enough to read on from. */
function shorten(prompt: string): string {
  const characters = Array.from(prompt);
  return characters.length <= 240 ? prompt : `… ${characters.slice(-200).join("")}`;
}
