#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mesita::testing {

/// One tensor of a golden file: `numbers` for F32 and F64, `integers` for I64.
struct GoldenTensor {
  std::vector<int64_t> shape;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
};

/// What tests/golden/make_*.py wrote: tensors and metadata by name.
struct Golden {
  std::map<std::string, GoldenTensor> tensors;
  std::map<std::string, std::string> metadata;

  /// Throws std::out_of_range with the name.
  const GoldenTensor& at(const std::string& name) const;
};

/// Reads tests/golden/`name` (safetensors format). Throws std::runtime_error when it is not there.
Golden read_golden(const std::string& name);

}  // namespace mesita::testing
