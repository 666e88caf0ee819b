#include "model/config.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mesita::model {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 31;
constexpr int64_t kMostLayers = 1024;

constexpr std::array kMixerNames = {std::pair{MixerKind::softmax, std::string_view("softmax")}};
constexpr std::array kPositionNames = {
    std::pair{PositionKind::learned, std::string_view("learned")},
    std::pair{PositionKind::rotary, std::string_view("rotary")},
    std::pair{PositionKind::none, std::string_view("none")},
};

template <typename Table, typename Kind>
std::string_view name_in(const Table& table, Kind kind) {
  for (const auto& [value, name] : table) {
    if (value == kind) return name;
  }
  throw std::invalid_argument("value " + std::to_string(static_cast<int>(kind)) +
                              " names no kind: use one of the enumerators");
}

template <typename Table>
auto kind_in(const Table& table, std::string_view what, std::string_view wanted) {
  std::string known;
  for (const auto& [value, name] : table) {
    if (name == wanted) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument(std::string(what) + " \"" + std::string(wanted) +
                              "\" is unknown: use one of " + known);
}

void require_positive(std::string_view field, int64_t value) {
  if (value <= 0) {
    throw std::invalid_argument(std::string(field) + " is " + std::to_string(value) +
                                ": it must be positive");
  }
}

void require_positive(std::string_view field, double value) {
  if (!(std::isfinite(value) && value > 0)) {
    throw std::invalid_argument(std::string(field) + " is " + std::to_string(value) +
                                ": it must be positive and finite");
  }
}

// Both factors are positive; the division keeps the comparison free of overflow.
void require_tensor_fits(std::string_view fields, int64_t rows, int64_t columns) {
  if (rows > kMostElements / columns) {
    throw std::invalid_argument(std::string(fields) + " is " + std::to_string(rows) + " x " +
                                std::to_string(columns) +
                                ": a tensor may have at most 2^31 elements");
  }
}

}  // namespace

void validate(const ModelConfig& config) {
  require_positive("vocabulary", config.vocabulary);
  require_positive("context", config.context);
  require_positive("width", config.width);
  require_positive("layers", config.layers);
  require_positive("heads", config.heads);
  require_positive("feed_forward", config.feed_forward);
  require_positive("rotary_base", config.rotary_base);
  require_positive("norm_epsilon", config.norm_epsilon);
  name_of(config.mixer);
  name_of(config.position);
  if (config.layers > kMostLayers) {
    throw std::invalid_argument("layers is " + std::to_string(config.layers) + ": at most " +
                                std::to_string(kMostLayers) + " are supported");
  }
  require_tensor_fits("vocabulary x width", config.vocabulary, config.width);
  require_tensor_fits("context x width", config.context, config.width);
  require_tensor_fits("feed_forward x width", config.feed_forward, config.width);
  require_tensor_fits("width x 2 width", config.width, config.width);
  require_tensor_fits("width x 2 width", 2 * config.width, config.width);
  if (config.width % config.heads != 0) {
    throw std::invalid_argument("heads is " + std::to_string(config.heads) +
                                ": it must divide width, which is " + std::to_string(config.width));
  }
  if (config.position == PositionKind::rotary && config.head_width() % 2 != 0) {
    throw std::invalid_argument(
        "heads is " + std::to_string(config.heads) +
        ": rotary positions need an even head width, and width / heads is " +
        std::to_string(config.head_width()));
  }
}

std::string_view name_of(MixerKind kind) {
  return name_in(kMixerNames, kind);
}
std::string_view name_of(PositionKind kind) {
  return name_in(kPositionNames, kind);
}
MixerKind mixer_kind(std::string_view name) {
  return kind_in(kMixerNames, "mixer", name);
}
PositionKind position_kind(std::string_view name) {
  return kind_in(kPositionNames, "position", name);
}

}  // namespace mesita::model
