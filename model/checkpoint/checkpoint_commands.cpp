#include "model/checkpoint/checkpoint_commands.h"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "model/checkpoint/config_json.h"
#include "model/checkpoint/manifest.h"
#include "model/checkpoint/read_checkpoint.h"

namespace mesita::checkpoint {

namespace fs = std::filesystem;

namespace {

using nlohmann::ordered_json;

// What one role has.
struct RoleSize {
  int64_t tensors = 0;
  int64_t elements = 0;
  bool trained = false;
};

std::string_view form_name(Form form) {
  return form == Form::compact ? "compact" : "full";
}

uintmax_t folder_bytes(const fs::path& folder) {
  uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// A folder's name need not be UTF-8.
std::string json_text(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json hash_or_null(const std::string& hash) {
  return hash.empty() ? ordered_json() : ordered_json(hash);
}

ordered_json roles_json(const CheckpointConfig& config) {
  std::map<model::ParameterRole, RoleSize> sizes;
  for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
    RoleSize& size = sizes[spec.role];
    ++size.tensors;
    size.elements += spec.size();
    size.trained = model::is_trained(spec, config.trained);
  }
  ordered_json roles = ordered_json::array();
  for (const auto& [role, size] : sizes) {
    roles.push_back({{"role", model::name_of(role)},
                     {"tensors", size.tensors},
                     {"parameters", size.elements},
                     {"trained", size.trained}});
  }
  return roles;
}

ordered_json description_of(const fs::path& folder, const Checkpoint& checkpoint) {
  ordered_json description{{"folder", folder.string()},
                           {"form", form_name(checkpoint.form)},
                           {"bytes", folder_bytes(folder)},
                           {"parameters", model::count_parameters(checkpoint.config.model)},
                           {"trained_parameters", model::count_trained(checkpoint.config.model,
                                                                       checkpoint.config.trained)},
                           {"roles", roles_json(checkpoint.config)},
                           {"hash", checkpoint.hash},
                           {"frozen", hash_or_null(checkpoint.frozen)},
                           {"core", hash_or_null(checkpoint.core)},
                           {"training_state", fs::exists(folder / kTrainingStateFile)},
                           {"config", ordered_json::parse(config_text(checkpoint.config))}};
  return description;
}

void print_description(const ordered_json& description, std::ostream& out) {
  const ordered_json& config = description["config"];
  out << description["folder"].get<std::string>() << ": " << description["form"].get<std::string>()
      << ", " << description["bytes"] << " bytes\n";
  for (const auto& [name, value] : config["model"].items())
    out << "  " << name << " " << (value.is_string() ? value.get<std::string>() : value.dump())
        << "\n";
  char line[120];
  std::snprintf(line, sizeof line, "\n  %-20s %8s %14s\n", "role", "tensors", "parameters");
  out << line;
  for (const ordered_json& role : description["roles"]) {
    std::snprintf(line, sizeof line, "  %-20s %8lld %14lld  %s\n",
                  role["role"].get<std::string>().c_str(),
                  static_cast<long long>(role["tensors"].get<int64_t>()),
                  static_cast<long long>(role["parameters"].get<int64_t>()),
                  role["trained"].get<bool>() ? "trained" : "frozen");
    out << line;
  }
  std::snprintf(line, sizeof line, "  %-20s %8s %14lld  of which %lld trained\n\n", "all", "",
                static_cast<long long>(description["parameters"].get<int64_t>()),
                static_cast<long long>(description["trained_parameters"].get<int64_t>()));
  out << line;
  for (const char* name : {"document_start", "end", "seed", "recipe", "storage", "trained_on"})
    out << "  " << name << " " << config[name].dump() << "\n";
  for (const char* name : {"training_state", "hash", "frozen", "core"})
    out << "  " << name << " " << description[name].dump() << "\n";
}

fs::path require_checkpoint(const fs::path& folder) {
  const fs::path place = checkpoint_folder(folder);
  if (is_checkpoint(place)) return place;
  throw std::runtime_error(folder.string() +
                           " is neither a checkpoint (no manifest.json) nor a run with one");
}

}  // namespace

void inspect_command(const fs::path& folder, OutputFormat format, std::ostream& out) {
  const fs::path place = require_checkpoint(folder);
  const ordered_json description = description_of(place, load_checkpoint(place));
  if (format == OutputFormat::json) {
    out << json_text(description);
  } else {
    print_description(description, out);
  }
}

int verify_command(const std::vector<fs::path>& folders, OutputFormat format, std::ostream& out) {
  ordered_json results = ordered_json::array();
  int bad = 0;
  for (const fs::path& folder : folders) {
    ordered_json result{{"folder", folder.string()}};
    try {
      const Checkpoint checkpoint = load_checkpoint(require_checkpoint(folder));
      result["ok"] = true;
      result["hash"] = checkpoint.hash;
      if (format == OutputFormat::text)
        out << folder.string() << ": OK " << checkpoint.hash << "\n";
    } catch (const std::exception& error) {
      ++bad;
      result["ok"] = false;
      result["reason"] = error.what();
      if (format == OutputFormat::text) out << folder.string() << ": BAD " << error.what() << "\n";
    }
    results.push_back(result);
  }
  if (format == OutputFormat::json) out << json_text(results);
  return bad;
}

void convert_command(const fs::path& folder, Form form, const fs::path& target, OutputFormat format,
                     std::ostream& out) {
  const fs::path place = require_checkpoint(folder);
  std::optional<TrainingState> state;
  const Checkpoint checkpoint = read_verified(place, [&](const VerifiedFolder& verified) {
    if (verified.has(kTrainingStateFile)) state = read_training_state(verified);
    return read_checkpoint(verified);
  });
  // A run that goes on writes here too: what it has written meanwhile must not give way to this.
  if (!holds_checkpoint(place, checkpoint.hash)) {
    throw std::runtime_error(place.string() + " was replaced meanwhile: try again");
  }
  const uintmax_t before = folder_bytes(place);
  std::string note;
  if (form == Form::compact && checkpoint.frozen.empty()) {
    note = "nothing is frozen, so there is no compact form";
  } else if (form == checkpoint.form) {
    note = "it is " + std::string(form_name(form)) + " already";
  }
  const fs::path& written = target.empty() ? place : target;
  if (note.empty() || !target.empty()) {
    save_checkpoint(written, checkpoint.config, checkpoint.parameters, place / kTokenizerFolder,
                    form, state);
  }
  const uintmax_t after = folder_bytes(written);
  if (format == OutputFormat::json) {
    out << json_text({{"folder", written.string()},
                      {"form", form_name(checkpoint.frozen.empty() ? Form::full : form)},
                      {"bytes_before", before},
                      {"bytes", after},
                      {"note", note}});
  } else {
    out << written.string() << ": " << (note.empty() ? "" : note + "; ") << before << " -> "
        << after << " bytes\n";
  }
}

}  // namespace mesita::checkpoint
