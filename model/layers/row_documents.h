#pragma once

#include <ATen/core/Tensor.h>

namespace mesita::layers {

/// Which positions of a batch's rows belong to one document. Nothing crosses from one document to
/// the next: attention, positions and state begin anew. The default is one document per row.
struct RowDocuments {
  at::Tensor starts;  // int64 [batch, time]: where in its row a position's document begins
  at::Tensor seen;    // bool [batch, 1, time, time]: query t sees key s

  /// One document per row.
  bool whole_rows() const { return !starts.defined(); }
};

/// The documents that `starts` tells; undefined: one document per row.
RowDocuments row_documents(const at::Tensor& starts);

}  // namespace mesita::layers
