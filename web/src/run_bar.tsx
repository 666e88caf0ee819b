import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface Props {
  action: string;
  /** What the page says while it runs. */
  doing: string;
  running: boolean;
  /** Why it cannot start, or null. */
  obstacle: string | null;
  onStop: () => void;
  children?: ComponentChildren;
}

/**
 * Start and stop. Both stay focusable, so that nobody's focus falls off the page when a run ends.
 * Starting is the form's submit; Esc stops from anywhere.
 */
export function RunBar({ action, doing, running, obstacle, onStop, children }: Props) {
  useEffect(() => {
    if (!running) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape") onStop();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [running, onStop]);

  return (
    <div class="run-bar">
      <button type="submit" class="primary" aria-disabled={running || obstacle !== null}>
        {action} <kbd>Ctrl ⏎</kbd>
      </button>
      <button type="button" aria-disabled={!running} onClick={onStop}>
        Stop <kbd>Esc</kbd>
      </button>
      <span class="hint" role="status">
        {running ? doing : obstacle}
      </span>
      <span class="spacer" />
      {children}
    </div>
  );
}
