import { useEffect, useMemo, useState } from "preact/hooks";
import type { Api } from "./api";
import { differences } from "./difference";
import { DifferenceLegend, SurpriseLegend } from "./legend";
import { withAlternatives, type Measurement } from "./measurement";
import { letter } from "./numbers";
import { PairPicker, type Pair } from "./pair_picker";
import { PlaceDetails } from "./place_details";
import { kAlternatives } from "./settings";
import { TokenRow } from "./token_row";
import { tokenAt, type ShownToken } from "./tokens";
import { useTask } from "./use_task";

interface Props {
  measured: Measurement;
  api: Api;
  onUnauthorized: (retry: () => void) => void;
}

interface Row {
  label: string;
  title: string;
  tokens: ShownToken[];
  shading: "surprise" | "difference";
}

/** A byte of the text, and the token that was pointed at: an empty token holds no byte. */
interface Place {
  byte: number;
  row: number;
  index: number;
}

const kNowhere: Place = { byte: -1, row: -1, index: -1 };

/**
 * The text once per model, shaded by surprise, and once more by the difference of two models. A
 * place is a byte of the text, so that it means the same in every row.
 */
export function HeatMap({ measured, api, onUnauthorized }: Props) {
  const [sides, setSides] = useState(measured.sides);
  const [pair, setPair] = useState<Pair>([0, 1]);
  const [place, setPlace] = useState<Place>(kNowhere);
  const [hovered, setHovered] = useState<Place>(kNowhere);
  const [marks, setMarks] = useState(true);
  const [numbers, setNumbers] = useState(true);
  const task = useTask(onUnauthorized);

  useEffect(() => {
    setSides(measured.sides);
    setPair([0, 1]);
    setPlace(kNowhere);
    setHovered(kNowhere);
  }, [measured]);

  const rows = useMemo(() => rowsOf(measured, pair), [measured, pair]);
  const shown = hovered.byte >= 0 ? hovered : place;

  const expect = () =>
    task.start(async (signal) => {
      const expected = await Promise.all(
        measured.sides.map(async ({ score, tokens }) => {
          const echo = await api.echo(score.model, measured.text, kAlternatives, signal);
          return { score, tokens: withAlternatives(tokens, echo) };
        }),
      );
      setSides(expected);
    });

  const toRow = (index: number) => document.getElementById(`heat-${index}`)?.focus();
  return (
    <section class="heat" aria-label="Surprise, token by token">
      <div class="toolbar">
        <SurpriseLegend />
        <label class="toggle">
          <input
            type="checkbox"
            checked={numbers}
            onChange={(event) => setNumbers(event.currentTarget.checked)}
          />
          Bits under each token
        </label>
        <label class="toggle">
          <input
            type="checkbox"
            checked={marks}
            onChange={(event) => setMarks(event.currentTarget.checked)}
          />
          White space visible
        </label>
      </div>
      <div class="heat-body">
        <div class="heat-rows">
          {rows.map((row, index) => (
            <div class="heat-row" key={row.title}>
              <h2>
                <span class="badge">{row.label}</span> {row.title}
              </h2>
              {row.shading === "difference" && (
                <div class="toolbar">
                  <DifferenceLegend first={letter(pair[0])} second={letter(pair[1])} />
                  {measured.sides.length > 2 && (
                    <PairPicker count={measured.sides.length} pair={pair} onChange={setPair} />
                  )}
                </div>
              )}
              <TokenRow
                id={`heat-${index}`}
                label={`${row.title}, token by token`}
                tokens={row.tokens}
                shading={row.shading}
                marks={marks}
                numbers={numbers}
                active={shown.row === index ? shown.index : tokenAt(row.tokens, shown.byte)}
                onPlace={(at, how) => {
                  const token = row.tokens[at];
                  const target = token ? { byte: token.start, row: index, index: at } : kNowhere;
                  setHovered(how === "hover" ? target : kNowhere);
                  if (how === "choose") setPlace(target);
                }}
                onRow={(step) => toRow(index + step)}
              />
            </div>
          ))}
        </div>
        <PlaceDetails
          sides={sides}
          place={shown.byte}
          asking={task.running}
          problem={task.error}
          onExpect={expect}
        />
      </div>
    </section>
  );
}

function rowsOf({ text, sides }: Measurement, [first, second]: Pair): Row[] {
  const rows: Row[] = sides.map(({ score, tokens }, index) => ({
    label: letter(index),
    title: score.model,
    tokens,
    shading: "surprise",
  }));
  if (sides.length >= 2) {
    rows.push({
      label: `${letter(first)} − ${letter(second)}`,
      title: "Difference in bits",
      tokens: differences(text, sides[first]!.tokens, sides[second]!.tokens),
      shading: "difference",
    });
  }
  return rows;
}
