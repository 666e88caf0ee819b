import { useLayoutEffect, useRef } from "preact/hooks";
import { TokenSpans, type Shading } from "./token_spans";
import type { ShownToken } from "./tokens";

interface Props {
  id: string;
  label: string;
  tokens: ShownToken[];
  shading: Shading;
  marks: boolean;
  numbers: boolean;
  /** The token that the details speak of; -1 for none. */
  active: number;
  /** `how` tells a place that was chosen from one that the pointer passes over (-1: left). */
  onPlace: (index: number, how: "choose" | "hover") => void;
  /** Up and down: to the row before or after, where there is one. */
  onRow?: (step: -1 | 1) => void;
}

const kPage = 20;

/**
 * A text as tokens to walk through: one tab stop, arrow keys within.
 *
 * The active token is marked outside of the virtual tree: a text may have thousands of tokens and
 * the pointer moves over many of them a second.
 */
export function TokenRow(props: Props) {
  const { id, tokens, active, onPlace } = props;
  const row = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = row.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!element) return;
    element.setAttribute("aria-selected", "true");
    if (row.current === document.activeElement) element.scrollIntoView({ block: "nearest" });
    return () => element.setAttribute("aria-selected", "false");
  }, [active, tokens, props.numbers, props.marks]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || tokens.length === 0) return;
    const last = tokens.length - 1;
    const targets: Record<string, number> = {
      ArrowLeft: Math.max(0, active - 1),
      ArrowRight: Math.min(last, active + 1),
      PageUp: Math.max(0, active - kPage),
      PageDown: Math.min(last, active + kPage),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target !== undefined) {
      onPlace(target, "choose");
    } else if (props.onRow && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      props.onRow(event.key === "ArrowUp" ? -1 : 1);
    } else {
      return;
    }
    event.preventDefault();
  };

  // Moves only: a pointer that rests while the text scrolls below it shall not take the place over.
  const hovered = useRef(-1);
  const onPointerMove = (event: PointerEvent) => {
    const index = placeOf(event);
    if (event.pointerType !== "mouse" || index === hovered.current) return;
    hovered.current = index;
    onPlace(index, "hover");
  };
  const onPointerLeave = () => {
    hovered.current = -1;
    onPlace(-1, "hover");
  };

  return (
    <div
      ref={row}
      class={props.numbers ? "tokens numbered" : "tokens"}
      id={id}
      role="listbox"
      aria-label={props.label}
      aria-orientation="horizontal"
      aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => active < 0 && tokens.length > 0 && onPlace(0, "choose")}
      onClick={(event) => placeOf(event) >= 0 && onPlace(placeOf(event), "choose")}
      onPointerMove={onPointerMove}
      onPointerLeave={onPointerLeave}
    >
      <TokenSpans
        id={id}
        tokens={tokens}
        shading={props.shading}
        marks={props.marks}
        numbers={props.numbers}
      />
    </div>
  );
}

function placeOf(event: Event): number {
  const token = (event.target as Element).closest<HTMLElement>("[data-index]");
  return token ? Number(token.dataset["index"]) : -1;
}
