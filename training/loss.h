#pragma once

#include <ATen/core/Tensor.h>

namespace mesita::training {

/// Mean surprise of the next tokens as a scalar with autograd:
///   sum over scored positions of -log softmax(hidden . unembedding^T)[target] / divisor.
/// hidden: [positions, width]; unembedding: [vocabulary, width]; targets: int64 [positions], < 0 is
/// not scored. `divisor` is the number of scored positions of the whole optimizer step, so that the
/// losses of accumulated micro-batches simply add up.
///
/// On a CPU, unembedding, softmax and their gradients are one operation: logits are computed for a
/// piece of the positions, replaced in place by their gradient while they are in the cache, and
/// used for the gradients of both factors. Under autocast the products are bf16, softmax and sums
/// float32, as in PyTorch. Throws std::invalid_argument when shapes do not fit or a target is
/// outside the vocabulary.
at::Tensor next_token_loss(const at::Tensor& hidden, const at::Tensor& unembedding,
                           const at::Tensor& targets, double divisor);

/// -log softmax(...)[target] of every position, float32 [positions], 0 where not scored; no
/// autograd.
at::Tensor next_token_nats(const at::Tensor& hidden, const at::Tensor& unembedding,
                           const at::Tensor& targets);

}  // namespace mesita::training
