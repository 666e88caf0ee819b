import type { Chunk, Choice, CompletionRequest, Model, PerplexityResponse } from "./api_types";
import { eventData } from "./event_stream";

/** What the server refused, in its own words; `status` is 0 when no server answered. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** The calls of the page. `key` is asked at each call, so that it may be entered later. */
export class Api {
  constructor(
    private readonly key: () => string,
    private readonly base = "",
    private readonly fetcher: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async models(): Promise<Model[]> {
    const response = await this.send("/v1/models");
    return ((await json(response)) as { data: Model[] }).data;
  }

  /** Yields the chunks of all models in order of arrival; throws ApiError for an error event. */
  async *compare(
    models: string[],
    request: CompletionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<Chunk> {
    const response = await this.send("/compare", { models, ...request, stream: true }, signal);
    if (!response.body) throw new ApiError(response.status, "The server sent no stream.");
    for await (const data of eventData(response.body)) {
      if (data === "[DONE]") return;
      const event = parse(data, response.status) as Chunk & ErrorBody;
      if (event.error) throw errorOf(response.status, event);
      yield event;
    }
    throw new ApiError(response.status, "The stream ended before the server said it was done.");
  }

  perplexity(models: string[], text: string, signal: AbortSignal): Promise<PerplexityResponse> {
    const body = { models, texts: [text], per_token: true };
    return this.send("/perplexity", body, signal).then(json) as Promise<PerplexityResponse>;
  }

  /** The prompt's own tokens with what the model expected at each place; generates nothing. */
  async echo(
    model: string,
    prompt: string,
    logprobs: number,
    signal: AbortSignal,
  ): Promise<Choice> {
    const body = { model, prompt, logprobs, echo: true, max_tokens: 0 };
    const response = await this.send("/v1/completions", body, signal);
    const choice = ((await json(response)) as { choices: Choice[] }).choices[0];
    if (!choice) throw new ApiError(response.status, "The server answered without a choice.");
    return choice;
  }

  private async send(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {};
    if (this.key() !== "") headers["Authorization"] = `Bearer ${this.key()}`;
    if (body) headers["Content-Type"] = "application/json";
    const init: RequestInit = { method: body ? "POST" : "GET", headers };
    if (body) init.body = JSON.stringify(body);
    if (signal) init.signal = signal;
    let response: Response;
    try {
      response = await this.fetcher(this.base + path, init);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, "The server does not answer. Is it still running?");
    }
    if (!response.ok) {
      const text = await response.text();
      let parsed: ErrorBody = {};
      try {
        parsed = JSON.parse(text) as ErrorBody;
      } catch {
        // A proxy in between may answer with something that is not ours.
      }
      throw errorOf(response.status, parsed ?? {});
    }
    return response;
  }
}

interface ErrorBody {
  error?: { message?: string; param?: string | null };
}

function errorOf(status: number, body: ErrorBody): ApiError {
  const message = body.error?.message ?? `The server answered with status ${status}.`;
  return new ApiError(status, message, body.error?.param ?? null);
}

async function json(response: Response): Promise<unknown> {
  return parse(await response.text(), response.status);
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(status, "The server answered with something that is not JSON.");
  }
}
