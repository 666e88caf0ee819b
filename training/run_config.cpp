#include "training/run_config.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "training/field_reader.h"
#include "training/run_fields.h"

namespace mesita::training {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kMostSeeds = 1000;

class Writer final : public FieldVisitor {
 public:
  ordered_json document = ordered_json::object();

  void integer(std::string_view name, int64_t& value, Range, std::string_view) override {
    at(name) = value;
  }
  void number(std::string_view name, double& value, Range, std::string_view) override {
    at(name) = value;
  }
  void truth(std::string_view name, bool& value, std::string_view) override { at(name) = value; }
  void text(std::string_view name, std::string& value, std::string_view) override {
    at(name) = value;
  }
  void list(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    at(name) = value;
  }
  void choice(std::string_view name, size_t& index, std::span<const std::string_view> names,
              std::string_view) override {
    at(name) = names[index];
  }

 private:
  ordered_json& at(std::string_view name) {
    ordered_json* node = &document;
    for (size_t dot; (dot = name.find('.')) != name.npos; name.remove_prefix(dot + 1)) {
      node = &(*node)[std::string(name.substr(0, dot))];
    }
    return (*node)[std::string(name)];
  }
};

class Describer final : public FieldVisitor {
 public:
  std::string page;

  void integer(std::string_view name, int64_t& value, Range range, std::string_view what) override {
    line(name, std::to_string(value), interval(range), what);
  }
  void number(std::string_view name, double& value, Range range, std::string_view what) override {
    line(name, nlohmann::json(value).dump(), interval(range), what);
  }
  void truth(std::string_view name, bool& value, std::string_view what) override {
    line(name, value ? "true" : "false", "true or false", what);
  }
  void text(std::string_view name, std::string& value, std::string_view what) override {
    line(name, '"' + value + '"', "text", what);
  }
  void list(std::string_view name, std::vector<std::string>& value,
            std::string_view what) override {
    line(name, nlohmann::json(value).dump(), "texts", what);
  }
  void choice(std::string_view name, size_t& index, std::span<const std::string_view> names,
              std::string_view what) override {
    std::string allowed;
    for (std::string_view each : names) allowed += (allowed.empty() ? "" : "|") + std::string(each);
    line(name, std::string(names[index]), allowed, what);
  }

 private:
  static std::string interval(Range range) {
    char text[80];
    std::snprintf(text, sizeof text, "%.15g to %.15g", range.least, range.most);
    return text;
  }
  void line(std::string_view name, const std::string& value, const std::string& allowed,
            std::string_view what) {
    page += "  --" + std::string(name) + "  (" + value + "; " + allowed + ")\n      " +
            std::string(what) + "\n";
  }
};

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument("run config: " + message);
}

bool is_device(std::string_view name) {
  if (name == "auto" || name == "cpu" || name == "cuda") return true;
  if (!name.starts_with("cuda:")) return false;
  name.remove_prefix(5);
  return !name.empty() && name.size() <= 3 && name.find_first_not_of("0123456789") == name.npos;
}

void check_consistency(const RunConfig& config) {
  model::ModelConfig sizes = config.model;
  if (sizes.vocabulary == 0) sizes.vocabulary = 1;  // known when the tokenizer is read
  model::validate(sizes);
  (void)config.trained_roles();
  (void)config.all_seeds();
  const std::string& decayed = config.optimizer.decayed;
  if (decayed != "matrices" && decayed != "all") (void)model::trained_roles(decayed);
  require(config.optimizer.min_lr <= config.optimizer.lr,
          "optimizer.min_lr is larger than optimizer.lr");
  require(config.row_context() <= config.model.context,
          "batch.context is " + std::to_string(config.batch.context) +
              ", the model's context only " + std::to_string(config.model.context));
  require(config.stop.steps > 0 || config.stop.minutes > 0,
          "nothing ends the run: set stop.steps or stop.minutes");
  const RunConfig::Data& data = config.data;
  if (data.kind == DataKind::text) {
    require(!data.train.empty(), "data.kind is text: set data.train to files of documents");
    require(!data.validation.empty(),
            "data.kind is text: set data.validation to files of documents");
    (void)parse_weights(data.weights);
  } else {
    require(data.train.empty() && data.validation.empty() && data.tokenizer.empty() &&
                data.weights.empty() && data.separator < 0,
            "data.train, data.validation, data.tokenizer, data.weights and data.separator need "
            "--data.kind text");
  }
  require(is_device(config.device),
          "device is '" + config.device + "'; allowed: auto, cpu, cuda, cuda:N");
}

}  // namespace

std::vector<model::ParameterRole> RunConfig::trained_roles() const {
  return model::trained_roles(trained);
}

std::vector<int64_t> RunConfig::all_seeds() const {
  if (seeds.empty()) return {seed};
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("run config: seeds is '" + seeds + "'" + why +
                                "; write 1-8 or 1,2,5");
  };
  std::vector<int64_t> all;
  const char *at = seeds.data(), *const end = at + seeds.size();
  const auto number = [&] {
    int64_t value = 0;
    const auto [read, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0 || static_cast<double>(value) > kLargestSeed) refuse("");
    at = read;
    return value;
  };
  while (true) {
    const int64_t first = number();
    const bool is_range = at != end && *at == '-';
    if (is_range) ++at;
    const int64_t last = is_range ? number() : first;
    if (last < first) refuse("");
    if (last - first >= kMostSeeds - static_cast<int64_t>(all.size()))
      refuse(": more than " + std::to_string(kMostSeeds));
    for (int64_t each = first; each <= last; ++each) {
      if (std::find(all.begin(), all.end(), each) != all.end())
        refuse(", with " + std::to_string(each) + " twice");
      all.push_back(each);
    }
    if (at == end) return all;
    if (*at++ != ',') refuse("");
  }
}

RunConfig resolve_run_config(std::string_view json, const std::vector<FieldOverride>& overrides) {
  RunConfig config;
  FieldReader reader(config);
  reader.read_document(json);
  for (const FieldOverride& each : overrides) reader.read_override(each);
  reader.assign(config);
  if (config.model.feed_forward == 0) config.model.feed_forward = 4 * config.model.width;
  check_consistency(config);
  return config;
}

std::string to_json(const RunConfig& config) {
  RunConfig copy = config;
  Writer writer;
  visit_fields(copy, writer);
  return writer.document.dump(2) + "\n";
}

std::map<std::string, double> parse_weights(const std::vector<std::string>& weights) {
  std::map<std::string, double> result;
  for (const std::string& text : weights) {
    const size_t equals = text.rfind('=');
    double weight = 0.0;
    const char* end = text.data() + text.size();
    const char* begin = equals == text.npos ? end : text.data() + equals + 1;
    const auto [stop, error] = std::from_chars(begin, end, weight);
    if (error != std::errc() || stop != end)
      throw std::invalid_argument("data.weights: '" + text + "' is not SET=WEIGHT");
    const std::string name = text.substr(0, equals);
    if (!result.emplace(name, weight).second)
      throw std::invalid_argument("data.weights names the set '" + name + "' twice");
  }
  return result;
}

std::string describe_fields() {
  RunConfig defaults;
  Describer describer;
  visit_fields(defaults, describer);
  return describer.page;
}

}  // namespace mesita::training
