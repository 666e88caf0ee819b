#pragma once

#include <cstdint>

namespace mesita::training {

/// Whether logits are replaced by the gradient.
enum class RowResult { loss, loss_and_gradient };

/// Cross-entropy of rows of logits, in float32: nats[r] = -log softmax(logits[r])[targets[r]], 0
/// where the target is negative (ignored). With RowResult::loss_and_gradient each logit is replaced
/// by scale x (softmax - one_hot(target)), 0 in ignored rows. logits: [rows, vocabulary].
void cross_entropy_rows(float* logits, const int64_t* targets, int64_t rows, int64_t vocabulary,
                        float scale, RowResult result, float* nats);

/// The same for bfloat16 bits; every number in between is float32.
void cross_entropy_rows(uint16_t* logits, const int64_t* targets, int64_t rows, int64_t vocabulary,
                        float scale, RowResult result, float* nats);

}  // namespace mesita::training
