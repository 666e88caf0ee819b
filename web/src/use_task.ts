import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api";

/** Something that runs, can be stopped, and may fail; one at a time. */
export interface Task {
  running: boolean;
  /** What went wrong last, in the server's words. */
  error: string | null;
  start: (work: (signal: AbortSignal) => Promise<void>) => void;
  stop: () => void;
}

/** `onUnauthorized` gets a way to try again once a key is known. */
export function useTask(onUnauthorized: (retry: () => void) => void): Task {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);

  const stop = useCallback(() => controller.current?.abort(), []);

  const start = useCallback(
    (work: (signal: AbortSignal) => Promise<void>) => {
      if (controller.current) return;
      const own = new AbortController();
      controller.current = own;
      setRunning(true);
      setError(null);
      work(own.signal)
        .catch((caught: unknown) => {
          if (own.signal.aborted) return;
          if (caught instanceof ApiError && caught.status === 401) {
            onUnauthorized(() => start(work));
          }
          setError(caught instanceof ApiError ? withParam(caught) : String(caught));
        })
        .finally(() => {
          controller.current = null;
          setRunning(false);
        });
    },
    [onUnauthorized],
  );

  useEffect(() => stop, [stop]);
  return { running, error, start, stop };
}

function withParam(error: ApiError): string {
  const named = error.param !== null && !error.message.includes(error.param);
  return named ? `${error.param}: ${error.message}` : error.message;
}
