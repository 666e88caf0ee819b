#include "tokenizer/definition_json.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tokenizer/definition_file.h"

namespace mesita::tokenizer {

nlohmann::json read_json_definition(const std::filesystem::path& file,
                                    std::initializer_list<std::string_view> keys) {
  const auto fail = [&](const std::string& reason) {
    throw std::runtime_error(file.string() + ": " + reason);
  };
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(read_definition(file));
  } catch (const nlohmann::json::exception& error) {
    fail(std::string("not valid JSON: ") + error.what());
  }
  if (!json.is_object()) fail("expected a JSON object");
  if (!json.contains("format")) fail("the key \"format\" is missing");
  const nlohmann::json& format = json.at("format");
  if (!format.is_number_integer()) fail("\"format\" is not a whole number");
  if (format != 1) {
    fail("has format " + format.dump() + ", this program reads format 1; use a newer mesita");
  }
  for (const auto& item : json.items()) {
    const bool known =
        item.key() == "format" || std::find(keys.begin(), keys.end(), item.key()) != keys.end();
    if (!known) fail("unknown key " + nlohmann::json(item.key()).dump());
  }
  return json;
}

}  // namespace mesita::tokenizer
