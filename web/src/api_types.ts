/** The shapes of the server's API that the page uses (see interfaces.md). */

export interface Model {
  id: string;
  status?: string;
  reason?: string;
  architecture?: string;
  max_model_len?: number;
  parameters?: number;
  trained_parameters?: number;
  tokenizer?: { kind: string; hash?: string };
}

/** A completion request without its models and its prompt's side effects on the page. */
export interface CompletionRequest {
  prompt: string;
  max_tokens?: number;
  temperature?: number;
  top_p?: number;
  seed?: number;
  stop?: string;
  logprobs?: number;
  echo?: boolean;
}

/** Legacy completion logprobs: parallel arrays, natural logarithms, offsets in code points. */
export interface Logprobs {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[] | null;
  text_offset: number[];
}

export interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  logprobs: Logprobs | null;
}

export interface Chunk {
  model: string;
  choices: Choice[];
}

/** One token of a scored text: byte offsets in the text, surprise in nats. */
export interface ScoredToken {
  id: number;
  text: string;
  start: number;
  end: number;
  nats: number | null;
}

export interface Score {
  model: string;
  tokens: number;
  scored_tokens: number;
  skipped_tokens: number;
  bytes: number;
  nats: number;
  nats_per_token: number;
  bits_per_byte: number;
  perplexity: number;
  per_token?: ScoredToken[];
}

export interface PerplexityResponse {
  results: Score[];
}
