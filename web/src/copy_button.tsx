import { useState } from "preact/hooks";

interface Props {
  label: string;
  /** Null when there is nothing that could be copied. */
  text: () => string | null;
  whenNull?: string;
}

/** Copies a text and says so for a moment. */
export function CopyButton({ label, text, whenNull = "Nothing to copy" }: Props) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const copied = text();
    setSaid(copied === null ? whenNull : (await write(copied)) ? "Copied" : "Could not copy");
    setTimeout(() => setSaid(null), 2000);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** The clipboard API exists on secure origins only; a server in the lecture hall is often not one. */
function writeBySelection(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return copied;
}
