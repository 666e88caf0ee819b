#pragma once

#include <cstdint>

namespace mesita::training {

/// The most memory of this program that was resident at once, in bytes.
int64_t peak_resident_bytes();

}  // namespace mesita::training
