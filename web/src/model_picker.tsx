import type { Model } from "./api_types";
import { modelKind, usable } from "./model_kind";
import { letter, parameterCount, share } from "./numbers";

interface Props {
  models: Model[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

/** The models of the server as check boxes with what was trained in each. */
export function ModelPicker({ models, chosen, onChange }: Props) {
  const toggle = (id: string) => {
    const wanted = new Set(chosen);
    if (!wanted.delete(id)) wanted.add(id);
    // In the server's order, so that a model's letter does not depend on the order of clicks.
    onChange(models.map((model) => model.id).filter((known) => wanted.has(known)));
  };
  return (
    <fieldset class="picker">
      <legend>Models</legend>
      <p class="explanation">
        A <em>fully trained</em> model has learned all of its parameters; an{" "}
        <em>embeddings-only</em> model has learned how tokens enter and leave, while every layer in
        between keeps the random values it was born with. The bar is the trained share.
      </p>
      <div class="cards">
        {models.map((model) => (
          <Card
            key={model.id}
            model={model}
            place={chosen.indexOf(model.id)}
            onToggle={() => toggle(model.id)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Card({ model, place, onToggle }: { model: Model; place: number; onToggle: () => void }) {
  const problem = usable(model);
  const total = model.parameters ?? 0;
  const trained = model.trained_parameters ?? total;
  return (
    <label class={problem === null ? "card" : "card unusable"}>
      <input type="checkbox" checked={place >= 0} disabled={problem !== null} onChange={onToggle} />
      <span class="badge" aria-hidden="true">
        {place >= 0 ? letter(place) : ""}
      </span>
      <span class="card-text">
        <span class="card-name">{model.id}</span>
        {problem === null ? (
          <>
            <span class="card-kind">
              <em>{modelKind(model)}</em>, {trained < total && `${share(trained, total)} of `}
              {parameterCount(total)} parameters
            </span>
            <span class="meter" aria-hidden="true">
              <span style={{ width: total > 0 ? `${(100 * trained) / total}%` : "0" }} />
            </span>
          </>
        ) : (
          <span class="card-problem">{problem}</span>
        )}
      </span>
    </label>
  );
}
