#include "model/layers/row_documents.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

namespace mesita::layers {

RowDocuments row_documents(const at::Tensor& starts) {
  if (!starts.defined()) return {};
  const at::Tensor places = at::arange(starts.size(1), starts.options());  // [time]
  const at::Tensor causal = places.unsqueeze(0) <= places.unsqueeze(1);    // [time, time]
  const at::Tensor same = places >= starts.unsqueeze(-1);                  // [batch, time, time]
  return {starts, same.logical_and(causal).unsqueeze(1)};
}

}  // namespace mesita::layers
