#include "server/http/fresh_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace mesita::http {

uint64_t random_bits() {
  uint64_t bits = 0;
  // Eight bytes come whole and at once (getrandom(2)); std::random_device would take 100 us.
  if (getrandom(&bits, sizeof(bits), 0) != static_cast<ssize_t>(sizeof(bits))) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return bits;
}

std::string fresh_id(const std::string& prefix) {
  std::array<char, 32> digits;
  const auto low = static_cast<unsigned>(random_bits());
  std::snprintf(digits.data(), digits.size(), "%016llx%08x",
                static_cast<unsigned long long>(random_bits()), low);
  return prefix + digits.data();
}

}  // namespace mesita::http
