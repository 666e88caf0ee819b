#include "training/evaluate.h"

#include <c10/core/GradMode.h>

#include <numbers>
#include <stdexcept>

#include "training/loss.h"
#include "training/precision.h"
#include "training/train_step.h"

namespace mesita::training {

std::vector<Evaluation> evaluate_members(model::LanguageModel& model, const EvaluationSet& set,
                                         Precision precision) {
  if (set.scored == 0) throw std::invalid_argument("evaluate: nothing is scored");
  const c10::NoGradGuard no_grad;
  const c10::Device device = model.unembedding().device();
  const PrecisionGuard guard(precision, device.type());
  const auto members = static_cast<size_t>(model.members());
  std::vector<double> nats(members, 0.0), text_nats(members, 0.0);
  for (const TokenBatch& batch : set.batches) {
    const TokenBatch all = side_by_side(std::vector<TokenBatch>(members, batch));
    const at::Tensor ids = to_tensor(all.ids, {all.rows, all.context}, device);
    const at::Tensor targets = to_tensor(batch.targets, {batch.rows * batch.context}, device);
    const auto hidden =
        model.hidden(ids, starts_of(all, device)).flatten(0, 1).chunk(model.members());
    for (size_t m = 0; m < members; ++m) {
      const at::Tensor unembedding =
          model::of_member(model, model.unembedding(), static_cast<int64_t>(m));
      const at::Tensor each =
          next_token_nats(hidden[m], unembedding, targets).to(at::kCPU).contiguous();
      const float* values = each.const_data_ptr<float>();
      for (size_t i = 0; i < batch.targets.size(); ++i) {
        nats[m] += values[i];
        if (batch.targets[i] != set.end) text_nats[m] += values[i];
      }
    }
  }
  std::vector<Evaluation> results(members);
  for (size_t m = 0; m < members; ++m) {
    results[m].loss = nats[m] / static_cast<double>(set.scored);
    if (set.bytes > 0)
      results[m].bits_per_byte = text_nats[m] / std::numbers::ln2 / static_cast<double>(set.bytes);
  }
  return results;
}

Evaluation evaluate(model::LanguageModel& model, const EvaluationSet& set, Precision precision) {
  return evaluate_members(model, set, precision).front();
}

}  // namespace mesita::training
