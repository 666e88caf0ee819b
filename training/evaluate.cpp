#include "training/evaluate.h"

#include <c10/core/GradMode.h>

#include <numbers>
#include <stdexcept>

#include "training/loss.h"
#include "training/precision.h"
#include "training/train_step.h"

namespace mesita::training {

Evaluation evaluate(model::LanguageModel& model, const EvaluationSet& set, Precision precision) {
  if (set.scored == 0) throw std::invalid_argument("evaluate: nothing is scored");
  const c10::NoGradGuard no_grad;
  const c10::Device device = model.unembedding().device();
  const PrecisionGuard guard(precision, device.type());
  double nats = 0.0, text_nats = 0.0;
  for (const TokenBatch& batch : set.batches) {
    const at::Tensor ids = to_tensor(batch.ids, {batch.rows, batch.context}, device);
    const at::Tensor targets = to_tensor(batch.targets, {batch.rows * batch.context}, device);
    const at::Tensor each =
        next_token_nats(model.hidden(ids, starts_of(batch, device)).flatten(0, 1),
                        model.unembedding(), targets)
            .to(at::kCPU)
            .contiguous();
    const float* values = each.const_data_ptr<float>();
    for (size_t i = 0; i < batch.targets.size(); ++i) {
      nats += values[i];
      if (batch.targets[i] != set.end) text_nats += values[i];
    }
  }
  Evaluation result{.loss = nats / static_cast<double>(set.scored), .bits_per_byte = {}};
  if (set.bytes > 0)
    result.bits_per_byte = text_nats / std::numbers::ln2 / static_cast<double>(set.bytes);
  return result;
}

}  // namespace mesita::training
