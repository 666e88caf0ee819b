import type { Model } from "./api_types";

/** In words, from the share of parameters that was trained. */
export function modelKind(model: Model): string {
  if (model.parameters === undefined || model.trained_parameters === undefined) return "";
  if (model.trained_parameters >= model.parameters) return "fully trained";
  return model.trained_parameters === 0 ? "untrained" : "embeddings only";
}

/** Null when the page can use it, else why not. */
export function usable(model: Model): string | null {
  if (model.status === "failed") return `could not be loaded: ${model.reason ?? "see the log"}`;
  if (model.tokenizer?.kind === "none") return "has no tokenizer: takes ids only, through the API";
  return null;
}

/** A first choice: one fully trained model beside one that is not, with the same tokens. */
export function firstChoice(models: Model[]): string[] {
  const candidates = models.filter((model) => usable(model) === null);
  const whole = candidates.filter((model) => modelKind(model) === "fully trained");
  const partly = candidates.filter((model) => modelKind(model) !== "fully trained");
  for (const first of whole) {
    const second = partly.find((model) => model.tokenizer?.hash === first.tokenizer?.hash);
    if (second)
      return models.map(({ id }) => id).filter((id) => id === first.id || id === second.id);
  }
  return candidates.slice(0, 2).map((model) => model.id);
}
