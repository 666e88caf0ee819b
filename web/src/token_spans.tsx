import { Component, Fragment, type JSX } from "preact";
import { differenceShade, surpriseShade, type Shade } from "./color_scale";
import { decimals } from "./numbers";
import type { ShownToken } from "./tokens";

export type Shading = "none" | "surprise" | "difference";

interface Props {
  id: string;
  tokens: ShownToken[];
  shading: Shading;
  marks: boolean;
  numbers: boolean;
}

/** The tokens of a row. Rendered again only when they change, not when the active one does. */
export class TokenSpans extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { tokens, shading, marks, numbers } = this.props;
    return (
      tokens !== next.tokens ||
      shading !== next.shading ||
      marks !== next.marks ||
      numbers !== next.numbers
    );
  }

  override render({ id, tokens, shading, marks, numbers }: Props) {
    return tokens.map((token, index) => (
      <Fragment key={index}>
        <span
          id={`${id}-${index}`}
          data-index={index}
          role="option"
          aria-selected="false"
          aria-label={nameOf(token.text)}
          class={classOf(token)}
          style={styleOf(token, shading)}
          data-number={numbers ? numberOf(token, shading) : undefined}
        >
          {marks && !token.partial ? withMarks(token.text) : token.text}
        </span>
        {/* A token with a number under it is a box, and a line break in a box ends no line. */}
        {numbers && token.text.endsWith("\n") && <span class="line-end" aria-hidden="true" />}
      </Fragment>
    ));
  }
}

/** A name for what would have none when read aloud; other tokens are their text. */
function nameOf(text: string): string | undefined {
  if (text.trim() !== "") return undefined;
  if (text.includes("\n")) return "line break";
  return text.includes("\t") ? "tab" : "blank";
}

function classOf(token: ShownToken): string {
  const partial = token.partial ? " partial" : "";
  return `token${partial}${token.bits === null ? " unscored" : ""}`;
}

function styleOf(token: ShownToken, shading: Shading): JSX.CSSProperties | undefined {
  if (token.bits === null || shading === "none") return undefined;
  const shade = shading === "surprise" ? surpriseShade : differenceShade;
  const [light, dark] = [shade(token.bits, "light"), shade(token.bits, "dark")];
  const pair = (part: keyof Shade) => `light-dark(${light[part]}, ${dark[part]})`;
  return { backgroundColor: pair("background"), color: pair("ink") };
}

function numberOf(token: ShownToken, shading: Shading): string {
  if (token.bits === null) return "–";
  const sign = shading === "difference" && token.bits >= 0.05 ? "+" : "";
  return sign + decimals(token.bits, 1);
}

/** White space in spans of its own; style.css draws a mark on each, the text stays what it is. */
function withMarks(text: string): JSX.Element[] {
  return text
    .split(/([ \n\t\r\u00a0])/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const kind = kMarks[piece];
      return kind ? <span class={`mark ${kind}`}>{piece}</span> : <>{piece}</>;
    });
}

const kMarks: Record<string, string> = {
  " ": "space",
  "\u00a0": "space",
  "\n": "newline",
  "\t": "tab",
  "\r": "newline",
};
