// mesita export

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>

#include "training/export.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app("Writes a checkpoint for other programs: Hugging Face's transformers, llama.cpp",
               "mesita export");
  app.set_version_flag("--version", "mesita export " MESITA_VERSION);
  std::filesystem::path folder, out;
  std::string to;
  app.add_option("CHECKPOINT", folder, "checkpoint or run folder")->required();
  app.add_option("--to", to, "huggingface (a folder) or gguf (a file)")
      ->required()
      ->check(CLI::IsMember({"huggingface", "gguf"}));
  app.add_option("--out,-o", out, "what is written; must not exist")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (to == "gguf") {
    mesita::training::export_gguf(folder, out);
  } else {
    mesita::training::export_huggingface(folder, out);
  }
  std::cout << out.string() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "mesita export: " << error.what() << '\n';
    return 1;
  }
}
