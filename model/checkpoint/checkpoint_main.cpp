// mesita checkpoint inspect|verify|expand|compact

#include <CLI/CLI.hpp>
#include <iostream>
#include <stdexcept>

#include "model/checkpoint/checkpoint_commands.h"

namespace {

namespace fs = std::filesystem;
using namespace mesita::checkpoint;

int run(int argc, char** argv) {
  CLI::App app("Looks at checkpoints and changes their form", "mesita checkpoint");
  app.set_version_flag("--version", "mesita checkpoint " MESITA_VERSION ", checkpoint format 1");
  app.require_subcommand(1);
  OutputFormat format = OutputFormat::text;
  std::vector<fs::path> folders;
  fs::path folder, target;
  int bad = 0;
  const auto command = [&](const char* name, const char* what) {
    CLI::App* result = app.add_subcommand(name, what);
    result->add_flag_callback(
        "--json", [&] { format = OutputFormat::json; }, "Print one JSON document");
    return result;
  };
  const auto takes_folder = [&](CLI::App* result) {
    result->add_option("DIR", folder, "Checkpoint or run folder")->required();
  };

  CLI::App* inspection = command("inspect", "Print sizes, roles and hashes");
  takes_folder(inspection);
  inspection->callback([&] { inspect_command(folder, format, std::cout); });

  CLI::App* verification =
      command("verify", "Check files, hashes and values; 1 if one is not sound");
  verification->add_option("DIR", folders, "Checkpoint or run folders")->required();
  verification->callback([&] { bad = verify_command(folders, format, std::cout); });

  const auto conversion = [&](const char* name, const char* what, Form form) {
    CLI::App* result = command(name, what);
    takes_folder(result);
    result->add_option("--out,-o", target, "Write it here instead of in its place");
    result->callback([&, form] { convert_command(folder, form, target, format, std::cout); });
  };
  conversion("expand", "Store all tensors", Form::full);
  conversion("compact", "Store only the trained tensors; the seed gives the others", Form::compact);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
  return bad == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "mesita checkpoint: " << error.what() << '\n';
    return 1;
  }
}
