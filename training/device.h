#pragma once

#include <c10/core/Device.h>

#include <string>

namespace mesita::training {

/// The device of a name: "auto" (a GPU where there is one), "cpu", "cuda", "cuda:N". Throws
/// std::runtime_error when the GPU is not there.
c10::Device resolve_device(const std::string& name);

/// Sets the threads of tensor operations and returns their number. 0: the machine's cores, or one
/// where `product`, the multiplications of the largest matrix product, is so small that dividing it
/// gains little; on a busy machine the threads' waiting for each other then costs many times the
/// work.
int64_t use_threads(int64_t threads, int64_t product);

/// Makes the C library keep freed memory for the next step instead of giving it back to the kernel:
/// every step allocates the same large tensors, and fresh pages cost 4 to 16 % of its time
/// (measured). For the whole process; nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace mesita::training
