import type { ComponentChildren } from "preact";
import type { Settings } from "./settings";

interface Props {
  settings: Settings;
  onChange: (change: Partial<Settings>) => void;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** The prompt and the parameters that all chosen models get alike. */
export function PromptForm({ settings, onChange, onSubmit, children }: Props) {
  const number = (key: "maxTokens" | "temperature" | "topP" | "seed") => ({
    type: "number",
    value: settings[key],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      onChange({ [key]: event.currentTarget.value }),
  });
  return (
    <form onSubmit={submitWith(onSubmit)} onKeyDown={submitOnControlEnter}>
      <label class="field-label" for="prompt">
        Prompt
      </label>
      <textarea
        id="prompt"
        rows={3}
        value={settings.prompt}
        onInput={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <div class="parameters">
        <label>
          Length in tokens
          <input {...number("maxTokens")} min="0" step="1" />
        </label>
        <label>
          Temperature
          <input {...number("temperature")} min="0" step="any" />
        </label>
        <label>
          Top-p
          <input {...number("topP")} min="0" max="1" step="any" />
        </label>
        <div class="seed">
          <label>
            Seed for all
            <input
              {...number("seed")}
              step="1"
              max={Number.MAX_SAFE_INTEGER}
              placeholder="drawn anew"
            />
          </label>
          <button type="button" onClick={() => onChange({ seed: drawSeed() })}>
            New
          </button>
        </div>
        <label>
          Stop at
          <input
            type="text"
            value={settings.stop}
            placeholder="\n is a line break"
            onInput={(event) => onChange({ stop: event.currentTarget.value })}
          />
        </label>
      </div>
      {children}
    </form>
  );
}

export function submitWith(action: () => void) {
  return (event: Event) => {
    event.preventDefault();
    action();
  };
}

/** Through the form's own submit, so that the browser checks the fields first. */
export function submitOnControlEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLFormElement).requestSubmit();
}

function drawSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
