import type { Choice, PerplexityResponse, Score } from "./api_types";
import { alternatives, scoredTokens, type ShownToken } from "./tokens";

/** A text and what each model said about it. */
export interface Measurement {
  text: string;
  sides: Side[];
}

export interface Side {
  score: Score;
  tokens: ShownToken[];
}

export function readMeasurement(text: string, response: PerplexityResponse): Measurement {
  const sides = response.results.map((score) => ({
    score,
    tokens: scoredTokens(text, score.per_token ?? []),
  }));
  return { text, sides };
}

/**
 * The tokens with what the model expected at each place, from an echo of the same text. Throws
 * when the echo was cut into other tokens: its entries would then speak of other places.
 */
export function withAlternatives(tokens: ShownToken[], echo: Choice): ShownToken[] {
  const tops = echo.logprobs?.top_logprobs ?? [];
  if (tops.length !== tokens.length) {
    throw new Error(`The server echoed ${tops.length} tokens, but had scored ${tokens.length}.`);
  }
  return tokens.map((token, index) => ({
    ...token,
    alternatives: alternatives(tops[index] ?? null),
  }));
}
