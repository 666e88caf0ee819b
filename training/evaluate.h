#pragma once

#include <optional>
#include <vector>

#include "model/language_model.h"
#include "training/data/batch_source.h"
#include "training/run_config.h"

namespace mesita::training {

/// What a model says about an evaluation set.
struct Evaluation {
  double loss = 0.0;                    // nats per scored token, each token weighing the same
  std::optional<double> bits_per_byte;  // where there is text; ends of documents left out
};

/// Through the training forward pass, without autograd; sums in float64. One result per member.
std::vector<Evaluation> evaluate_members(model::LanguageModel& model, const EvaluationSet& set,
                                         Precision precision);
/// The same for a model that is one.
Evaluation evaluate(model::LanguageModel& model, const EvaluationSet& set, Precision precision);

}  // namespace mesita::training
