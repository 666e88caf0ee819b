#pragma once

#include <cstdint>
#include <string>

namespace mesita::http {

/// 64 bits of the machine's entropy.
uint64_t random_bits();

/// A name that no other request has: prefix and 24 hexadecimal digits.
std::string fresh_id(const std::string& prefix);

}  // namespace mesita::http
