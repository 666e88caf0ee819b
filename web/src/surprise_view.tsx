import { useCallback, useState } from "preact/hooks";
import { CopyButton } from "./copy_button";
import { HeatMap } from "./heat_map";
import { submitOnControlEnter, submitWith } from "./prompt_form";
import { RunBar } from "./run_bar";
import { readMeasurement, type Measurement } from "./measurement";
import { SummaryTable } from "./summary_table";
import { useTask } from "./use_task";
import type { ViewProps } from "./view_props";

/** One text, several models: how surprised each was by every token. */
export function SurpriseView(props: ViewProps) {
  const { api, settings, obstacle } = props;
  const task = useTask(props.onUnauthorized);
  const { start } = task;
  const [measured, setMeasured] = useState<Measurement | null>(null);

  const run = useCallback(() => {
    if (obstacle !== null || settings.text === "") return;
    const { models, text } = settings;
    start(async (signal) => {
      setMeasured(null);
      setMeasured(readMeasurement(text, await api.perplexity(models, text, signal)));
    });
  }, [api, settings, obstacle, start]);

  const empty = settings.text === "" ? "Enter a text first." : null;
  return (
    <>
      <form onSubmit={submitWith(run)} onKeyDown={submitOnControlEnter}>
        <label class="field-label" for="text">
          Text
        </label>
        <textarea
          id="text"
          rows={3}
          value={settings.text}
          onInput={(event) => props.onChange({ text: event.currentTarget.value })}
        />
        <RunBar
          action="Measure"
          doing="measuring …"
          running={task.running}
          obstacle={obstacle ?? empty}
          onStop={task.stop}
        >
          <CopyButton
            label="Copy as curl"
            text={() =>
              props.curl("/perplexity", {
                models: settings.models,
                texts: [settings.text],
                per_token: true,
              })
            }
          />
          <CopyButton label="Copy link" text={props.link} whenNull="Too long for a link" />
        </RunBar>
      </form>
      {task.error !== null && (
        <p class="problem" role="alert">
          {task.error}
        </p>
      )}
      {measured && (
        <>
          <SummaryTable measured={measured} />
          <HeatMap measured={measured} api={api} onUnauthorized={props.onUnauthorized} />
        </>
      )}
    </>
  );
}
