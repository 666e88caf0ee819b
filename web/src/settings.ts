import type { CompletionRequest } from "./api_types";

export type View = "complete" | "surprise";

/**
 * All that a permalink holds. Numbers are kept as typed: the server judges them, and an empty
 * field means its default.
 */
export interface Settings {
  view: View;
  models: string[];
  prompt: string;
  text: string;
  maxTokens: string;
  temperature: string;
  topP: string;
  seed: string;
  stop: string;
}

export const defaultSettings: Settings = {
  view: "complete",
  models: [],
  prompt: "Once upon a time, there was a little girl who lived near the sea. One day, she",
  text:
    "The little girl opened the box and saw a tiny dragon. She smiled and gave it some milk. " +
    "The dragon was so happy that it filed a patent for the bathtub.",
  maxTokens: "120",
  temperature: "0.8",
  topP: "0.95",
  seed: "1",
  stop: "",
};

/** How many alternatives to each token the page asks for. */
export const kAlternatives = 5;

/** The request that all models of one run get, the seed included. */
export function completionRequest(settings: Settings): CompletionRequest {
  const request: CompletionRequest = { prompt: settings.prompt, logprobs: kAlternatives };
  const numbers = {
    max_tokens: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    seed: settings.seed,
  };
  for (const [name, typed] of Object.entries(numbers)) {
    if (typed.trim() !== "") request[name as keyof typeof numbers] = Number(typed);
  }
  if (settings.stop !== "") request.stop = unescapeLine(settings.stop);
  return request;
}

/** A one-line field cannot hold a line break or a tab: \n and \t stand for them, \\ for \. */
export function unescapeLine(typed: string): string {
  return typed.replace(/\\([nt\\])/g, (_, letter: string) =>
    letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
  );
}
