#include "model/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/checkpoint/bfloat16.h"
#include "model/checkpoint/json_object.h"
#include "model/checkpoint/strict_json.h"

namespace mesita::checkpoint {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = uint64_t{4} << 20;
constexpr size_t kHighestRank = 8;
constexpr size_t kLongestName = 256;
constexpr size_t kConvertedElements = size_t{1} << 18;  // elements converted at a time
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::array<std::string_view, 3> kTensorKeys = {"dtype", "shape", "data_offsets"};

uint64_t element_bytes(TensorType type) {
  return type == TensorType::float32 ? 4 : 2;
}

std::string_view name_of(TensorType type) {
  return type == TensorType::float32 ? "F32" : "BF16";
}

TensorType type_named(const std::string& name, const std::string& where) {
  if (name == "F32") return TensorType::float32;
  if (name == "BF16") return TensorType::bfloat16;
  throw std::runtime_error(where + " has type \"" + name.substr(0, 20) +
                           "\": only F32 and BF16 are supported, convert it");
}

std::vector<uint64_t> unsigned_list(const nlohmann::json& list, const std::string& where,
                                    std::string_view key) {
  const auto is_unsigned = [](const nlohmann::json& number) { return number.is_number_unsigned(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_unsigned)) {
    throw std::runtime_error(where + ": \"" + std::string(key) +
                             "\" must be a list of integers that are not negative");
  }
  return list.get<std::vector<uint64_t>>();
}

// Bytes of a tensor; throws when an extent is 0 or the product leaves the range of the file.
uint64_t checked_bytes(const std::vector<uint64_t>& shape, TensorType type, uint64_t most,
                       const std::string& where) {
  uint64_t bytes = element_bytes(type);
  for (const uint64_t extent : shape) {
    if (extent == 0 || bytes > most / extent) {
      throw std::runtime_error(where + " has an extent " + std::to_string(extent) +
                               ", which does not fit the file: it is damaged");
    }
    bytes *= extent;
  }
  return bytes;
}

TensorEntry tensor_entry(const std::string& name, const nlohmann::json& json, uint64_t data_bytes,
                         const std::string& file) {
  const std::string where = file + ": tensor \"" + name.substr(0, kLongestName) + "\"";
  if (name.empty() || name.size() > kLongestName) {
    throw std::runtime_error(where + " has a name of " + std::to_string(name.size()) +
                             " bytes: 1 to " + std::to_string(kLongestName) + " are allowed");
  }
  const JsonObject object(json, where);
  object.allow_only(kTensorKeys);
  TensorEntry entry;
  entry.name = name;
  entry.type = type_named(object.text("dtype"), where);
  const std::vector<uint64_t> shape = unsigned_list(object.at("shape"), where, "shape");
  if (shape.size() > kHighestRank) {
    throw std::runtime_error(where + " has rank " + std::to_string(shape.size()) + ": at most " +
                             std::to_string(kHighestRank) + " is supported");
  }
  const uint64_t bytes = checked_bytes(shape, entry.type, data_bytes, where);
  entry.shape.assign(shape.begin(), shape.end());
  const std::vector<uint64_t> offsets =
      unsigned_list(object.at("data_offsets"), where, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes ||
      offsets[1] - offsets[0] != bytes) {
    throw std::runtime_error(where + " needs " + std::to_string(bytes) +
                             " bytes, and its data_offsets say otherwise: the file is damaged");
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  return entry;
}

std::map<std::string, std::string> metadata_of(const nlohmann::json& json,
                                               const std::string& file) {
  const JsonObject object(json, file + ": " + std::string(kMetadata));
  std::map<std::string, std::string> metadata;
  for (const auto& item : json.items()) metadata[item.key()] = object.text(item.key());
  return metadata;
}

// Tensors sorted by position must follow each other from 0 to the end of the data.
void require_contiguous(const std::vector<TensorEntry>& tensors, uint64_t data_bytes,
                        const std::string& file) {
  uint64_t end = 0;
  for (const TensorEntry& entry : tensors) {
    if (entry.begin != end) {
      throw std::runtime_error(file + ": tensor \"" + entry.name + "\" begins at byte " +
                               std::to_string(entry.begin) + " of the data, and byte " +
                               std::to_string(end) + " is next: the file is damaged");
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    throw std::runtime_error(file + " has " + std::to_string(data_bytes - end) +
                             " bytes that belong to no tensor: the file is damaged");
  }
}

nlohmann::ordered_json header_json(std::span<const TensorToWrite* const> tensors,
                                   const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const TensorToWrite* tensor : tensors) {
    const std::string where = "tensor \"" + tensor->name + "\"";
    const bool positive = std::all_of(tensor->shape.begin(), tensor->shape.end(),
                                      [](int64_t extent) { return extent > 0; });
    uint64_t elements = 1;
    for (const int64_t extent : tensor->shape) elements *= static_cast<uint64_t>(extent);
    if (!positive || elements != tensor->values.size() || tensor->shape.size() > kHighestRank) {
      throw std::invalid_argument(where + " has " + std::to_string(tensor->values.size()) +
                                  " values, which is not what its shape says");
    }
    if (tensor->name.empty() || tensor->name.size() > kLongestName ||
        header.contains(tensor->name)) {
      throw std::invalid_argument(where + " has a name that is empty, too long or taken");
    }
    const uint64_t end = offset + elements * element_bytes(tensor->type);
    header[tensor->name] = {{"dtype", name_of(tensor->type)},
                            {"shape", tensor->shape},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  return header;
}

void write_values(OutputFile& file, const TensorToWrite& tensor) {
  if (tensor.type == TensorType::float32) return file.write(std::as_bytes(tensor.values));
  std::vector<uint16_t> piece;
  for (size_t done = 0; done < tensor.values.size(); done += piece.size()) {
    const auto values =
        tensor.values.subspan(done, std::min(kConvertedElements, tensor.values.size() - done));
    piece.resize(values.size());
    std::transform(values.begin(), values.end(), piece.begin(), to_bfloat16);
    file.write(std::as_bytes(std::span(piece)));
  }
}

}  // namespace

SafetensorsHeader read_safetensors_header(const ReadableFile& file) {
  if (file.size() < kLengthBytes) {
    throw std::runtime_error(file.name() + " has " + std::to_string(file.size()) +
                             " bytes, too few for a safetensors file: it is cut off");
  }
  uint64_t length = 0;
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kLongestHeader || length > file.size() - kLengthBytes) {
    throw std::runtime_error(file.name() + " says that its header has " + std::to_string(length) +
                             " bytes: it is damaged or no safetensors file");
  }
  std::string text(static_cast<size_t>(length), '\0');
  file.read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  const nlohmann::json json = parse_strict_json(text, file.name());
  SafetensorsHeader header;
  header.data_begin = kLengthBytes + length;
  const uint64_t data_bytes = file.size() - header.data_begin;
  for (const auto& item : json.items()) {
    if (item.key() == kMetadata) {
      header.metadata = metadata_of(item.value(), file.name());
    } else {
      header.tensors.push_back(tensor_entry(item.key(), item.value(), data_bytes, file.name()));
    }
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) { return a.begin < b.begin; });
  require_contiguous(header.tensors, data_bytes, file.name());
  return header;
}

std::vector<float> read_tensor(const ReadableFile& file, const SafetensorsHeader& header,
                               const TensorEntry& entry) {
  const auto elements = static_cast<size_t>((entry.end - entry.begin) / element_bytes(entry.type));
  std::vector<float> values(elements);
  uint64_t offset = header.data_begin + entry.begin;
  if (entry.type == TensorType::float32) {
    file.read(offset, std::as_writable_bytes(std::span(values)));
    return values;
  }
  std::vector<uint16_t> piece;
  for (size_t done = 0; done < elements; done += piece.size()) {
    piece.resize(std::min(kConvertedElements, elements - done));
    file.read(offset, std::as_writable_bytes(std::span(piece)));
    offset += piece.size() * sizeof(uint16_t);
    std::transform(piece.begin(), piece.end(), values.begin() + static_cast<ptrdiff_t>(done),
                   from_bfloat16);
  }
  return values;
}

void write_safetensors(OutputFile& file, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<const TensorToWrite*> ordered;
  for (const TensorToWrite& tensor : tensors) ordered.push_back(&tensor);
  std::stable_partition(ordered.begin(), ordered.end(), [](const TensorToWrite* tensor) {
    return tensor->type == TensorType::float32;
  });
  std::string text;
  try {
    text = header_json(ordered, metadata).dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("a tensor name or metadata is not valid UTF-8: rename it");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kLongestHeader) {
    throw std::invalid_argument("a safetensors header of " + std::to_string(text.size()) +
                                " bytes is too long: write fewer tensors");
  }
  const uint64_t length = text.size();
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const TensorToWrite* tensor : ordered) write_values(file, *tensor);
}

}  // namespace mesita::checkpoint
