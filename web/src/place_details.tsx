import { useRef } from "preact/hooks";
import { Alternatives } from "./alternatives";
import type { Side } from "./measurement";
import { decimals, letter, probability } from "./numbers";
import { spell, tokenAt } from "./tokens";

interface Props {
  sides: Side[];
  /** A byte of the text, or -1. */
  place: number;
  asking: boolean;
  problem: string | null;
  onExpect: () => void;
}

/** All models' numbers at one place of the text. */
export function PlaceDetails({ sides, place, asking, problem, onExpect }: Props) {
  const panel = useRef<HTMLElement>(null);
  const ask = () => {
    // The button goes when the answer comes; the focus must not go with it.
    panel.current?.focus({ preventScroll: true });
    onExpect();
  };
  const here = sides.map(({ score, tokens }, index) => ({
    letter: letter(index),
    model: score.model,
    token: tokens[tokenAt(tokens, place)],
  }));
  const known = sides.some(({ tokens }) => tokens.some((token) => token.alternatives !== null));
  return (
    <section ref={panel} class="place" tabIndex={0} aria-label="The token under the cursor">
      <table>
        <caption>
          {place < 0
            ? "Point at a token, or focus a text and use the arrow keys."
            : "At this place"}
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Model</span>
            </th>
            <th scope="col">Token</th>
            <th scope="col">Bits</th>
            <th scope="col">Probability</th>
          </tr>
        </thead>
        <tbody aria-live="polite">
          {here.map(({ letter: name, model, token }) => (
            <tr key={name}>
              <th scope="row">
                <span class="badge" title={model}>
                  {name}
                </span>
              </th>
              <td>{token ? <code>{spell(token.text)}</code> : "–"}</td>
              <td class="number">{token ? decimals(token.bits ?? NaN, 2) : "–"}</td>
              <td class="number">{token && token.bits !== null ? probability(token.bits) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {known ? (
        here.map(
          ({ letter: name, token }) =>
            token?.alternatives && (
              <div class="expected" key={name}>
                <h3>{name} expected</h3>
                <Alternatives list={token.alternatives} taken={token} />
              </div>
            ),
        )
      ) : (
        <button type="button" class="quiet" aria-disabled={asking} onClick={ask}>
          {asking ? "asking …" : "What did they expect?"}
        </button>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
