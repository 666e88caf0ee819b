import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Api, ApiError } from "./api";
import type { Model } from "./api_types";
import { CompleteView } from "./complete_view";
import { curlCommand } from "./curl";
import { KeyField } from "./key_field";
import { firstChoice, usable } from "./model_kind";
import { ModelPicker } from "./model_picker";
import { fromHash, toHash } from "./permalink";
import type { Settings, View } from "./settings";
import { SurpriseView } from "./surprise_view";
import { Tabs } from "./tabs";
import { ThemeToggle } from "./theme_toggle";
import type { ViewProps } from "./view_props";

/** After the last keystroke, before the address follows it. */
const kAddressDelay = 300;

/** The page: the models above, one of the two views below. */
export function App() {
  const key = useRef("");
  const api = useMemo(() => new Api(() => key.current), []);
  const [settings, setSettings] = useState<Settings>(() => fromHash(location.hash));
  const [models, setModels] = useState<Model[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [retry, setRetry] = useState<(() => void) | null>(null);

  const change = useCallback(
    (changed: Partial<Settings>) => setSettings((before) => ({ ...before, ...changed })),
    [],
  );
  const onUnauthorized = useCallback((again: () => void) => setRetry(() => again), []);

  const load = useCallback(async () => {
    setProblem(null);
    try {
      const listed = await api.models();
      setModels(listed);
      setSettings((before) =>
        before.models.length > 0 ? before : { ...before, models: firstChoice(listed) },
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onUnauthorized(() => void load());
      else setProblem(error instanceof Error ? error.message : String(error));
    }
  }, [api, onUnauthorized]);
  useEffect(() => void load(), [load]);

  useEffect(() => {
    const timer = setTimeout(() => {
      const hash = toHash(settings);
      if (hash !== null && models !== null) history.replaceState(null, "", `#${hash}`);
    }, kAddressDelay);
    return () => clearTimeout(timer);
  }, [settings, models]);
  useEffect(() => {
    const follow = () => setSettings((before) => fromHash(location.hash, before));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  // A link may name models that this server does not have, or could not load.
  const known = new Set((models ?? []).filter((m) => usable(m) === null).map((m) => m.id));
  const missing = models === null ? [] : settings.models.filter((id) => !known.has(id));
  const chosen = settings.models.filter((id) => known.has(id));
  const viewProps: ViewProps = {
    api,
    settings: useStableModels(settings, chosen),
    obstacle: chosen.length === 0 ? "Choose a model first." : null,
    onChange: change,
    onUnauthorized,
    curl: (path, body) => curlCommand(location.origin + path, body, key.current !== ""),
    link: () => {
      const hash = toHash(settings);
      return hash === null ? null : `${location.origin}${location.pathname}#${hash}`;
    },
  };
  return (
    <>
      <header class="masthead">
        <h1>mesita</h1>
        <p>Small language models, side by side</p>
        <ThemeToggle />
      </header>
      <main>
        {retry && (
          <KeyField
            onKey={(typed) => {
              key.current = typed;
              setRetry(null);
              retry();
            }}
          />
        )}
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}{" "}
            <button type="button" onClick={() => void load()}>
              Try again
            </button>
          </p>
        )}
        {models === null && problem === null && !retry && (
          <p class="hint">Asking for the models …</p>
        )}
        {models !== null && (
          <ModelPicker
            models={models}
            chosen={chosen}
            onChange={(ids) => change({ models: ids })}
          />
        )}
        {missing.length > 0 && (
          <p class="notice" role="status">
            The link names models that this server does not offer: {missing.join(", ")}
          </p>
        )}
        <Tabs<View>
          label="What to do with the models"
          value={settings.view}
          onChange={(view) => change({ view })}
          tabs={[
            {
              value: "complete",
              title: "Complete a prompt",
              body: <CompleteView {...viewProps} />,
            },
            { value: "surprise", title: "Measure surprise", body: <SurpriseView {...viewProps} /> },
          ]}
        />
      </main>
      <footer>
        <p>
          <kbd>Ctrl ⏎</kbd> run · <kbd>Esc</kbd> stop · <kbd>←</kbd> <kbd>→</kbd> from token to
          token · <kbd>↑</kbd> <kbd>↓</kbd> from model to model. Nothing leaves this server.
        </p>
      </footer>
    </>
  );
}

/** The settings with only the usable models, the same object while nothing changed. */
function useStableModels(settings: Settings, chosen: string[]): Settings {
  return useMemo(() => ({ ...settings, models: chosen }), [settings, chosen.join("\n")]);
}
