import type { Chunk } from "./api_types";
import { arrivedTokens, type ShownToken } from "./tokens";

export type ColumnState = "waiting" | "streaming" | "done" | "stopped" | "failed";

/** One model's side of a run. Times are milliseconds of one monotonic clock. */
export interface Column {
  model: string;
  state: ColumnState;
  text: string;
  /** As they arrived; `cutText` brings them and the text together. */
  tokens: ShownToken[];
  finish: string | null;
  started: number;
  first: number | null;
  last: number | null;
}

export function startColumn(model: string, now: number): Column {
  return {
    model,
    state: "waiting",
    text: "",
    tokens: [],
    finish: null,
    started: now,
    first: null,
    last: null,
  };
}

/** The column after a chunk of its model. Chunks that carry no choice (usage) change nothing. */
export function receive(column: Column, chunk: Chunk, now: number): Column {
  const choice = chunk.choices[0];
  if (!choice) return column;
  const arrived = choice.logprobs ? arrivedTokens(choice.logprobs) : [];
  const silent = arrived.length === 0 && choice.text === "";
  return {
    ...column,
    state: choice.finish_reason === null ? "streaming" : "done",
    text: column.text + choice.text,
    tokens: arrived.length === 0 ? column.tokens : [...column.tokens, ...arrived],
    finish: choice.finish_reason ?? column.finish,
    first: silent ? column.first : (column.first ?? now),
    last: silent ? column.last : now,
  };
}

/** Ends what has not ended by itself. */
export function interrupt(column: Column, state: "stopped" | "failed"): Column {
  return column.state === "done" ? column : { ...column, state };
}

export function timeToFirstToken(column: Column): number | null {
  return column.first === null ? null : column.first - column.started;
}

/** Tokens per second between the first token and the last; null before there are two. */
export function tokensPerSecond(column: Column): number | null {
  if (column.first === null || column.last === null || column.last <= column.first) return null;
  return column.tokens.length < 2
    ? null
    : (1000 * (column.tokens.length - 1)) / (column.last - column.first);
}

/** Mean surprise of the model at its own tokens, in bits; null before there is one. */
export function meanBits(column: Column): number | null {
  const known = column.tokens.flatMap((token) => (token.bits === null ? [] : [token.bits]));
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
