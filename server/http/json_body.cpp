#include "server/http/json_body.h"

#include <set>
#include <string>
#include <vector>

#include "server/http/api_error.h"
#include "tokenizer/utf8.h"

namespace mesita::http {

namespace {

/// Watches the parser: refuses what a tree should not be built of.
class Guard {
 public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= kMaxDepth) {
        throw invalid_request("the body nests more than " + std::to_string(kMaxDepth) +
                              " arrays and objects");
      }
      if (++containers_ > kMaxContainers) {
        throw invalid_request("the body holds more than " + std::to_string(kMaxContainers) +
                              " arrays and objects");
      }
    }
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(value.get<std::string>()).second) {
      const auto& key = value.get_ref<const std::string&>();
      throw invalid_request("the key " + in_quotes(key) + " appears twice", excerpt(key));
    }
    return true;
  }

 private:
  int containers_ = 0;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

nlohmann::json parse_body(std::string_view body) {
  if (body.empty()) throw invalid_request("the body is empty: send a JSON object");
  if (body.starts_with("\xEF\xBB\xBF")) {
    throw invalid_request("the body begins with a byte order mark: send JSON without it");
  }
  const size_t invalid = tokenizer::find_invalid_utf8(body);
  if (invalid != std::string_view::npos) {
    throw invalid_request("the body is not valid UTF-8 at byte " + std::to_string(invalid));
  }
  nlohmann::json value;
  try {
    Guard guard;
    value = nlohmann::json::parse(
        body, [&guard](int depth, nlohmann::json::parse_event_t event,
                       const nlohmann::json& parsed) { return guard(depth, event, parsed); });
  } catch (const nlohmann::json::parse_error& error) {
    throw invalid_request("the body is not valid JSON at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw invalid_request("the body holds a number that is out of range");
  }
  if (!value.is_object()) {
    throw invalid_request(std::string("the body must be a JSON object, not ") + value.type_name());
  }
  return value;
}

}  // namespace mesita::http
