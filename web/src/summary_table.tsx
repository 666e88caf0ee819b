import type { Measurement } from "./measurement";
import { decimals, letter, perplexity } from "./numbers";

/** The numbers over the whole text; the best of each column stands out. */
export function SummaryTable({ measured }: { measured: Measurement }) {
  const { sides } = measured;
  const best = (value: (index: number) => number) => {
    const values = sides.map((_, index) => value(index));
    const least = Math.min(...values);
    return (index: number) =>
      sides.length > 1 && values[index] === least ? "number best" : "number";
  };
  const bestBits = best((index) => sides[index]!.score.bits_per_byte);
  // Per-token numbers compare only where the tokens are the same.
  const counts = new Set(sides.map(({ score }) => score.tokens));
  const perToken = (value: (index: number) => number) =>
    counts.size === 1 ? best(value) : () => "number";
  const bestNats = perToken((index) => sides[index]!.score.nats_per_token);
  const bestPerplexity = perToken((index) => sides[index]!.score.perplexity);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Numbers over the whole text">
      <table class="summary">
        <caption>
          Over the whole text of {sides[0]?.score.bytes ?? 0} bytes; lower is better. Bits per byte
          compare models with any tokenizer, the other numbers only models with the same tokens.
        </caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">
              Bits/
              <wbr />
              byte
            </th>
            <th scope="col">
              Nats/
              <wbr />
              token
            </th>
            <th scope="col">Perplexity</th>
            <th scope="col">Tokens</th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ score }, index) => (
            <tr key={score.model}>
              <th scope="row">
                <span class="badge">{letter(index)}</span>{" "}
                <span class="model-name">{score.model}</span>
              </th>
              <td class={bestBits(index)}>{decimals(score.bits_per_byte, 3)}</td>
              <td class={bestNats(index)}>{decimals(score.nats_per_token, 3)}</td>
              <td class={bestPerplexity(index)}>{perplexity(score.perplexity)}</td>
              <td class="number">{score.tokens.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
