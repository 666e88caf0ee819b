#include "tests/support/golden.h"

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/files.h"

namespace mesita::testing {
namespace {

template <typename Stored, typename Value>
std::vector<Value> values_of(const std::string& bytes) {
  std::vector<Stored> stored(bytes.size() / sizeof(Stored));
  std::memcpy(stored.data(), bytes.data(), stored.size() * sizeof(Stored));
  return {stored.begin(), stored.end()};
}

GoldenTensor tensor_of(const nlohmann::json& entry, const std::string& file, size_t body) {
  const auto offsets = entry.at("data_offsets").get<std::vector<size_t>>();
  const std::string bytes = file.substr(body + offsets.at(0), offsets.at(1) - offsets.at(0));
  const std::string type = entry.at("dtype");
  GoldenTensor tensor;
  tensor.shape = entry.at("shape").get<std::vector<int64_t>>();
  if (type == "F32") tensor.numbers = values_of<float, double>(bytes);
  if (type == "F64") tensor.numbers = values_of<double, double>(bytes);
  if (type == "I64") tensor.integers = values_of<int64_t, int64_t>(bytes);
  return tensor;
}

}  // namespace

const GoldenTensor& Golden::at(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw std::out_of_range("golden file has no tensor " + name);
  return found->second;
}

Golden read_golden(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(MESITA_SOURCE_DIR) / "tests/golden" / name;
  const std::string file = read_file(path);
  uint64_t header = 0;
  if (file.size() < sizeof header) {
    throw std::runtime_error(path.string() + ": not there; tests/golden/make_*.py writes it");
  }
  std::memcpy(&header, file.data(), sizeof header);
  Golden golden;
  const size_t body = sizeof header + header;
  using Entries = std::map<std::string, nlohmann::json>;
  for (const auto& [key, entry] :
       nlohmann::json::parse(file.substr(sizeof header, header)).get<Entries>()) {
    if (key == "__metadata__") {
      golden.metadata = entry.get<std::map<std::string, std::string>>();
    } else {
      golden.tensors[key] = tensor_of(entry, file, body);
    }
  }
  return golden;
}

}  // namespace mesita::testing
