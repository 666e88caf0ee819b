import {
  differenceShade,
  kMaxBits,
  kMaxDifference,
  surpriseShade,
  type Shade,
  type Theme,
} from "./color_scale";

const kSteps = 24;

/** The scale of surprise: bits above, what they mean as a chance below. */
export function SurpriseLegend() {
  return (
    <Scale
      label={`Scale of surprise, from 0 bits (certain) to ${kMaxBits} bits or more (1 in 4096)`}
      shade={(position, theme) => surpriseShade(position * kMaxBits, theme)}
      ticks={[
        ["0 bits", "certain"],
        ["3", "1 in 8"],
        ["6", "1 in 64"],
        ["9", "1 in 512"],
        [`${kMaxBits}+`, "1 in 4096"],
      ]}
    />
  );
}

/** The scale of the difference between two models, by their letters. */
export function DifferenceLegend({ first, second }: { first: string; second: string }) {
  return (
    <Scale
      label={`Scale of difference: one end where ${second} was more surprised, the other where ${first} was`}
      shade={(position, theme) => differenceShade((2 * position - 1) * kMaxDifference, theme)}
      ticks={[
        [`−${kMaxDifference} bits`, `harder for ${second}`],
        ["0", "alike"],
        [`+${kMaxDifference} bits`, `harder for ${first}`],
      ]}
    />
  );
}

interface ScaleProps {
  label: string;
  shade: (position: number, theme: Theme) => Shade;
  ticks: [string, string][];
}

function Scale({ label, shade, ticks }: ScaleProps) {
  const positions = Array.from({ length: kSteps }, (_, step) => step / (kSteps - 1));
  return (
    <div class="scale" role="img" aria-label={label}>
      <div class="scale-colors">
        {positions.map((position) => (
          <span
            key={position}
            style={{
              backgroundColor: `light-dark(${shade(position, "light").background}, ${shade(position, "dark").background})`,
            }}
          />
        ))}
      </div>
      <div class="scale-ticks">
        {ticks.map(([value, meaning]) => (
          <span key={value}>
            {value}
            <br />
            <small>{meaning}</small>
          </span>
        ))}
      </div>
    </div>
  );
}
