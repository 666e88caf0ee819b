#include "training/run_fields.h"

#include <array>

namespace mesita::training {
namespace {

// Larger sizes are refused before anything multiplies them.
constexpr double kLargestSize = 1 << 24;
constexpr double kLargestCount = 1e15;

template <typename Enum, size_t N>
void enumeration(FieldVisitor& visitor, std::string_view name, Enum& value,
                 const std::array<std::string_view, N>& names, std::string_view meaning) {
  size_t index = static_cast<size_t>(value);
  visitor.choice(name, index, names, meaning);
  value = static_cast<Enum>(index);
}

void visit_model(model::ModelConfig& model, FieldVisitor& v) {
  v.integer("model.vocabulary", model.vocabulary, {0, kLargestSize},
            "number of token ids; 0: as many as the tokenizer has");
  v.integer("model.context", model.context, {1, kLargestSize}, "longest sequence, in tokens");
  v.integer("model.width", model.width, {1, kLargestSize}, "of the residual stream");
  v.integer("model.layers", model.layers, {1, 1000}, "number of blocks");
  v.integer("model.heads", model.heads, {1, 4096}, "attention heads; divides the width");
  v.integer("model.feed_forward", model.feed_forward, {0, kLargestSize},
            "hidden width of the MLP; 0: 4 x width");
  enumeration(v, "model.mixer", model.mixer, std::array<std::string_view, 1>{"softmax"},
              "how positions exchange information");
  enumeration(v, "model.position", model.position,
              std::array<std::string_view, 3>{"learned", "rotary", "none"},
              "how the model knows where a token stands");
  v.number("model.rotary_base", model.rotary_base, {1.0, 1e12}, "only for rotary positions");
  v.number("model.norm_epsilon", model.norm_epsilon, {1e-12, 1.0}, "of every LayerNorm");
  v.truth("model.tied_unembedding", model.tied_unembedding,
          "the unembedding is the token embedding");
}

void visit_data(RunConfig::Data& data, FieldVisitor& v) {
  enumeration(v, "data.kind", data.kind, std::array<std::string_view, 2>{"grammar", "text"},
              "grammar: stories of a toy grammar whose entropy is known exactly; text: files of "
              "texts or tokens");
  v.list("data.train", data.train,
         "what is trained on, for kind text: files of texts (.txt, .json, .jsonl, also .zst or "
         ".gz), folders that mesita pack wrote, token files (.bin) of nanoGPT, llm.c, Megatron");
  v.list("data.validation", data.validation, "what is evaluated on, the same");
  v.text("data.tokenizer", data.tokenizer,
         "tokenizer folder or .model file; not needed with a pack, which brings its own");
  v.list("data.weights", data.weights,
         "SET=WEIGHT: how often the documents of a set (the Pile's pile_set_name) are shown, as a "
         "multiple of their share; 1 where none is given, 0: never");
  v.integer("data.separator", data.separator, {-1, kLargestSize},
            "id that ends documents in others' token files without an index; -1: none, the ids are "
            "shuffled in pieces of 65536");
  enumeration(v, "data.boundaries", data.boundaries,
              std::array<std::string_view, 2>{"crossed", "kept"},
              "kept: attention, positions and state begin anew with each document in a row; "
              "crossed: a position sees its whole row");
  v.text("data.description", data.description,
         "a sentence about the data for the checkpoint, e.g. name and licence");
}

void visit_optimizer(RunConfig::Optimizer& optimizer, FieldVisitor& v) {
  v.number("optimizer.lr", optimizer.lr, {0.0, 100.0}, "learning rate after the warm-up");
  v.number("optimizer.min_lr", optimizer.min_lr, {0.0, 100.0},
           "learning rate at the end of the run");
  enumeration(
      v, "optimizer.schedule", optimizer.schedule,
      std::array<std::string_view, 3>{"cosine", "constant", "wsd"},
      "after the warm-up: half a cosine to min_lr; lr all along; or warm-up, stable, decay: "
      "lr until the last decay_fraction of the run, then down to min_lr as 1 - sqrt");
  v.number("optimizer.decay_fraction", optimizer.decay_fraction, {0.0, 1.0},
           "part of the run that decays, only for wsd");
  v.integer("optimizer.warmup_steps", optimizer.warmup_steps, {0, kLargestCount},
            "steps of linear warm-up");
  v.number("optimizer.beta1", optimizer.beta1, {0.0, 0.999999}, "AdamW, mean of gradients");
  v.number("optimizer.beta2", optimizer.beta2, {0.0, 0.999999}, "AdamW, mean of their squares");
  v.number("optimizer.epsilon", optimizer.epsilon, {1e-15, 1.0}, "AdamW, added to the root");
  v.number("optimizer.weight_decay", optimizer.weight_decay, {0.0, 100.0},
           "decoupled, on the trained tensors that optimizer.decayed names");
  v.text("optimizer.decayed", optimizer.decayed,
         "what weight_decay acts on: matrices (tensors with two dimensions or more, embeddings "
         "included), all, or roles and presets separated by commas, of which it takes the "
         "matrices: interior leaves the embeddings out");
  v.number("optimizer.clip", optimizer.clip, {0.0, 1e9}, "largest global gradient norm; 0: off");
}

void visit_loop(RunConfig& config, FieldVisitor& v) {
  v.integer("batch.rows", config.batch.rows, {1, 1 << 20}, "sequences per micro-batch");
  v.integer("batch.context", config.batch.context, {0, kLargestSize},
            "tokens per sequence; 0: the model's context");
  v.integer("batch.accumulation", config.batch.accumulation, {1, 1 << 20},
            "micro-batches per optimizer step");
  v.integer("stop.steps", config.stop.steps, {0, kLargestCount}, "optimizer steps; 0: no limit");
  v.number("stop.minutes", config.stop.minutes, {0.0, 1e6},
           "wall time; 0: no limit. The schedule then follows the clock");
  v.number("stop.target_loss", config.stop.target_loss, {0.0, 1e6},
           "stop when an evaluation reaches this loss; 0: none");
  v.integer(
      "stop.skipped_steps", config.stop.skipped_steps, {0, kLargestCount},
      "steps in a row whose loss or gradient is not finite and which are skipped; one more is "
      "an error");
  v.integer("evaluation.interval", config.evaluation.interval, {1, kLargestCount},
            "steps between evaluations");
  v.integer("evaluation.tokens", config.evaluation.tokens, {1, kLargestCount},
            "scored tokens of the evaluation set, which is the same every time");
  v.integer("samples.interval", config.samples.interval, {0, kLargestCount},
            "steps between samples; 0: only at the end");
  v.integer("samples.tokens", config.samples.tokens, {0, kLargestSize}, "longest sample");
  v.number("samples.temperature", config.samples.temperature, {0.0, 100.0},
           "0: the most probable token");
  v.list("samples.prompts", config.samples.prompts,
         "texts to continue, \"\" for a new document; on the command line one text or a JSON list");
}

}  // namespace

void visit_fields(RunConfig& config, FieldVisitor& v) {
  visit_model(config.model, v);
  visit_data(config.data, v);
  v.text("trained", config.trained,
         "what is trained, separated by commas; the rest keeps its random initial value. " +
             model::known_trained_names());
  visit_optimizer(config.optimizer, v);
  visit_loop(config, v);
  enumeration(v, "checkpoint.storage", config.checkpoint.storage,
              std::array<std::string_view, 2>{"float32", "bf16"}, "type of stored trained tensors");
  enumeration(v, "checkpoint.form", config.checkpoint.form,
              std::array<std::string_view, 3>{"auto", "compact", "full"},
              "compact: trained tensors only; auto: compact when something is frozen");
  v.integer("checkpoint.interval", config.checkpoint.interval, {0, kLargestCount},
            "steps between saves of checkpoints/last; 0: only at evaluations");
  v.integer("log_interval", config.log_interval, {1, kLargestCount}, "steps per line of metrics");
  enumeration(v, "precision", config.precision,
              std::array<std::string_view, 3>{"auto", "float32", "bf16"},
              "of the products; auto: bf16 where it is measured to be faster");
  v.text("device", config.device, "auto, cpu, cuda or cuda:N");
  v.integer("threads", config.threads, {0, 4096},
            "0: the machine's cores, or one for very small models");
  v.integer("seed", config.seed, {0, kLargestSeed}, "of initial values, data order and samples");
  v.text("seeds", config.seeds,
         "as 1-8 or 1,2,5: runs with these seeds instead, trained together as one batched model, "
         "each in its own folder RUN/seed-N");
}

}  // namespace mesita::training
