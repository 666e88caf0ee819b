import { useCallback, useRef, useState } from "preact/hooks";
import { interrupt, receive, startColumn, type Column } from "./comparison";
import { CompletionColumn } from "./completion_column";
import { CopyButton } from "./copy_button";
import { SurpriseLegend } from "./legend";
import { letter } from "./numbers";
import { PromptForm } from "./prompt_form";
import { RunBar } from "./run_bar";
import { completionRequest } from "./settings";
import { useTask } from "./use_task";
import type { ViewProps } from "./view_props";

/** Between two drawings of a stream: shorter than the eye notices, longer than a fast token. */
const kFrame = 40;

/** One prompt, several models, their completions side by side. */
export function CompleteView(props: ViewProps) {
  const { api, settings, obstacle } = props;
  const task = useTask(props.onUnauthorized);
  const { start } = task;
  const [columns, setColumns] = useState<Column[]>([]);
  const [prompt, setPrompt] = useState("");
  const [shaded, setShaded] = useState(false);
  const current = useRef<Column[]>([]);

  const run = useCallback(() => {
    if (obstacle !== null) return;
    const request = completionRequest(settings);
    start(async (signal) => {
      const clock = () => performance.now();
      setPrompt(request.prompt);
      current.current = settings.models.map((model) => startColumn(model, clock()));
      const show = () => setColumns(current.current);
      show();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let end: "stopped" | "failed" = "failed";
      try {
        for await (const chunk of api.compare(settings.models, request, signal)) {
          const now = clock();
          current.current = current.current.map((column) =>
            column.model === chunk.model ? receive(column, chunk, now) : column,
          );
          timer ??= setTimeout(() => {
            timer = undefined;
            show();
          }, kFrame);
        }
      } catch (error) {
        if (signal.aborted) end = "stopped";
        throw error;
      } finally {
        clearTimeout(timer);
        current.current = current.current.map((column) => interrupt(column, end));
        show();
      }
    });
  }, [api, settings, obstacle, start]);

  return (
    <>
      <PromptForm settings={settings} onChange={props.onChange} onSubmit={run}>
        <RunBar
          action="Complete"
          doing="writing …"
          running={task.running}
          obstacle={obstacle}
          onStop={task.stop}
        >
          <CopyButton
            label="Copy as curl"
            text={() =>
              props.curl("/compare", {
                models: settings.models,
                ...completionRequest(settings),
                stream: true,
              })
            }
          />
          <CopyButton label="Copy link" text={props.link} whenNull="Too long for a link" />
        </RunBar>
      </PromptForm>
      {task.error !== null && (
        <p class="problem" role="alert">
          {task.error}
        </p>
      )}
      {columns.length > 0 && (
        <section aria-label="Completions">
          <div class="toolbar">
            <label class="toggle">
              <input
                type="checkbox"
                checked={shaded}
                onChange={(event) => setShaded(event.currentTarget.checked)}
              />
              Inspect tokens: shade each by its model's surprise
            </label>
            {shaded && <SurpriseLegend />}
          </div>
          <div class="columns">
            {columns.map((column, index) => (
              <CompletionColumn
                key={column.model}
                column={column}
                letter={letter(index)}
                prompt={prompt}
                shaded={shaded}
              />
            ))}
          </div>
        </section>
      )}
    </>
  );
}
