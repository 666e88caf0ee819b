#include "model/kernels/parallel_products.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "model/kernels/parallel.h"

namespace mesita::kernels {
namespace {

// Smaller parts than these cost more to prepare than they share.
constexpr int64_t kLeastRows = 48, kLeastColumns = 48;

}  // namespace

void multiply_all(std::span<const MatrixProduct> products) {
  if (products.empty()) return;
  const MatrixProduct& shape = products.front();
  const auto count = static_cast<int64_t>(products.size());
  // As many parts as make the threads' shares equal; rows first, they share the copied right side.
  const int64_t threads = at::get_num_threads();
  const int64_t wanted = threads / std::gcd(threads, count);
  const int64_t by_rows = std::clamp<int64_t>(shape.rows / kLeastRows, 1, wanted);
  const int64_t by_columns =
      std::clamp<int64_t>(shape.columns / kLeastColumns, 1, (wanted + by_rows - 1) / by_rows);
  const int64_t parts = by_rows * by_columns;
  const int64_t cost = shape.rows * shape.columns * shape.inner / parts;
  parallel(count * parts, cost, [&](int64_t first, int64_t last) {
    for (int64_t job = first; job < last; ++job) {
      const MatrixProduct& product = products[static_cast<size_t>(job / parts)];
      const int64_t r = job % parts / by_columns, c = job % by_columns;
      const int64_t row = r * product.rows / by_rows, column = c * product.columns / by_columns;
      multiply(part(product, row, (r + 1) * product.rows / by_rows - row, column,
                    (c + 1) * product.columns / by_columns - column));
    }
  });
}

}  // namespace mesita::kernels
