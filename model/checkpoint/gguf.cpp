#include "model/checkpoint/gguf.h"

#include <cstring>
#include <type_traits>

namespace mesita::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr uint32_t kVersion = 3;
constexpr uint64_t kAlignment = 32;
constexpr uint32_t kFloat32Tensor = 0;

// Numbers of the value types.
template <typename Value>
constexpr uint32_t type_of() {
  if constexpr (std::is_same_v<Value, uint32_t>) return 4;
  if constexpr (std::is_same_v<Value, int32_t>) return 5;
  if constexpr (std::is_same_v<Value, float>) return 6;
  if constexpr (std::is_same_v<Value, bool>) return 7;
  if constexpr (std::is_same_v<Value, std::string>) return 8;
  return 9;  // a list
}

class Writer {
 public:
  std::string bytes;

  template <typename Number>
  void number(Number value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void write(const std::string& text) {
    number(static_cast<uint64_t>(text.size()));
    bytes += text;
  }
  void write(bool value) { number(static_cast<uint8_t>(value)); }
  void write(uint32_t value) { number(value); }
  void write(int32_t value) { number(value); }
  void write(float value) { number(value); }
  template <typename Element>
  void write(const std::vector<Element>& list) {
    number(type_of<Element>());
    number(static_cast<uint64_t>(list.size()));
    for (const Element& element : list) write(element);
  }
  void pad() { bytes.append((kAlignment - bytes.size() % kAlignment) % kAlignment, '\0'); }
};

uint64_t padded(uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void write_gguf(OutputFile& file, const GgufHead& head, std::span<const ForeignTensor> tensors) {
  Writer writer;
  writer.bytes = "GGUF";
  writer.number(kVersion);
  writer.number(static_cast<uint64_t>(tensors.size()));
  writer.number(static_cast<uint64_t>(head.size()));
  for (const auto& [key, value] : head) {
    writer.write(key);
    std::visit(
        [&](const auto& each) {
          writer.number(type_of<std::decay_t<decltype(each)>>());
          writer.write(each);
        },
        value);
  }
  uint64_t offset = 0;
  for (const ForeignTensor& tensor : tensors) {
    writer.write(tensor.name);
    writer.number(static_cast<uint32_t>(tensor.array.shape.size()));
    // The extent of the innermost dimension comes first.
    for (auto extent = tensor.array.shape.rbegin(); extent != tensor.array.shape.rend(); ++extent)
      writer.number(static_cast<uint64_t>(*extent));
    writer.number(kFloat32Tensor);
    writer.number(offset);
    offset += padded(tensor.array.values.size() * sizeof(float));
  }
  writer.pad();
  file.write(writer.bytes);
  for (const ForeignTensor& tensor : tensors) {
    const auto bytes = std::as_bytes(std::span(tensor.array.values));
    file.write(bytes);
    file.write(std::string(padded(bytes.size()) - bytes.size(), '\0'));
  }
}

}  // namespace mesita::checkpoint
