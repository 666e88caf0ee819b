import { defaultSettings, type Settings, type View } from "./settings";

/** Longer addresses are cut by mail programs and chat services. */
const kLongestHash = 16000;

const kCompletionFields = {
  prompt: "prompt",
  maxTokens: "max_tokens",
  temperature: "temperature",
  topP: "top_p",
  seed: "seed",
  stop: "stop",
} as const;

/** The address' part after `#` for the view that is open; null when it would be too long. */
export function toHash(settings: Settings): string | null {
  const fields = new URLSearchParams({ view: settings.view });
  for (const model of settings.models) fields.append("model", model);
  if (settings.view === "surprise") {
    fields.set("text", settings.text);
  } else {
    for (const [key, name] of Object.entries(kCompletionFields)) {
      fields.set(name, settings[key as keyof typeof kCompletionFields]);
    }
  }
  const hash = fields.toString();
  return hash.length > kLongestHash ? null : hash;
}

/** Settings from an address; what it leaves out stays as in `base`. */
export function fromHash(hash: string, base: Settings = defaultSettings): Settings {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const settings = { ...base };
  const view = fields.get("view");
  if (view === "complete" || view === "surprise") settings.view = view satisfies View;
  if (fields.has("model")) settings.models = [...new Set(fields.getAll("model"))];
  settings.text = fields.get("text") ?? base.text;
  for (const [key, name] of Object.entries(kCompletionFields)) {
    const typed = key as keyof typeof kCompletionFields;
    settings[typed] = fields.get(name) ?? base[typed];
  }
  return settings;
}
