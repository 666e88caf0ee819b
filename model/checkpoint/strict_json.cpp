#include "model/checkpoint/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

namespace mesita::checkpoint {

namespace {

constexpr int kDeepest = 8;

}  // namespace

nlohmann::json parse_strict_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::json::parse_event_t;
  if (text.empty() || text.front() != '{') {
    throw std::runtime_error(name + " does not begin with a JSON object: it is damaged");
  }
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, Event event, nlohmann::json& value) {
    if (depth > kDeepest) {
      throw std::runtime_error(name + " nests JSON values too deeply: it is damaged");
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) {
      throw std::runtime_error(name + " has the key \"" + value.get<std::string>() +
                               "\" twice in one object: remove one");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(name + " is not valid JSON, it is damaged: " + error.what());
  }
}

}  // namespace mesita::checkpoint
