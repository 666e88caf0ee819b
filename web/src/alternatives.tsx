import { decimals, probability } from "./numbers";
import { spell, type Alternative } from "./tokens";

interface Props {
  list: Alternative[];
  taken: { bits: number | null };
}

/** What a model held likely at a place, as bars of probability. */
export function Alternatives({ list, taken }: Props) {
  return (
    <table class="alternatives">
      <caption class="visually-hidden">Likeliest tokens at this place</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">token</th>
          <th scope="col">probability</th>
          <th scope="col">bits</th>
        </tr>
      </thead>
      <tbody>
        {list.map((alternative) => (
          <tr key={alternative.text} class={alternative.bits === taken.bits ? "taken" : undefined}>
            <td>
              <code>{spell(alternative.text)}</code>
            </td>
            <td class="bar">
              <span class="meter" aria-hidden="true">
                <span style={{ width: `${100 * 2 ** -alternative.bits}%` }} />
              </span>
              <span>{probability(alternative.bits)}</span>
            </td>
            <td class="number">{decimals(alternative.bits, 2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
