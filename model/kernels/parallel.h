#pragma once

#include <cstdint>
#include <functional>

namespace mesita::kernels {

/// Calls body(first, last) for pieces that make up [0, items), on LibTorch's threads
/// (at::set_num_threads). `cost` is the work of one item, about the number of multiplications:
/// little work stays on the calling thread. How the items are cut must not matter to the results.
void parallel(int64_t items, int64_t cost, const std::function<void(int64_t, int64_t)>& body);

}  // namespace mesita::kernels
