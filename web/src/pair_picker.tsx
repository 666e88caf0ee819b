import { letter } from "./numbers";

/** Indices of two chosen models; the difference is the first minus the second. */
export type Pair = [number, number];

interface Props {
  count: number;
  pair: Pair;
  onChange: (pair: Pair) => void;
}

/** Which two of more than two models to subtract. */
export function PairPicker({ count, pair, onChange }: Props) {
  const select = (which: 0 | 1, name: string) => (
    <label>
      {name}{" "}
      <select
        value={pair[which]}
        onChange={(event) => {
          const changed: Pair = [...pair];
          changed[which] = Number(event.currentTarget.value);
          onChange(changed);
        }}
      >
        {Array.from({ length: count }, (_, index) => (
          <option key={index} value={index}>
            {letter(index)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <span class="pair">
      {select(0, "Subtract from")} {select(1, "the model")}
    </span>
  );
}
