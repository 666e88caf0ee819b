#pragma once

#include <c10/core/Device.h>

#include <string>

namespace mesita::training {

/// The device of a name: "auto" (a GPU where there is one), "cpu", "cuda", "cuda:N". Throws
/// std::runtime_error when the GPU is not there.
c10::Device resolve_device(const std::string& name);

/// Threads for tensor operations; 0: the machine's cores.
void use_threads(int64_t threads);

}  // namespace mesita::training
