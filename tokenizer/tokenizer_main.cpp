// mesita tokenizer train|encode|decode|inspect

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "tokenizer/tokenizer_commands.h"

namespace {

namespace fs = std::filesystem;
using namespace mesita::tokenizer;

std::string read_all(std::istream& stream, const std::string& name) {
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw std::runtime_error(name + ": cannot be read");
  return text;
}

/// The text argument, or else a file, or else standard input.
struct Input {
  std::vector<std::string> words;
  CLI::Option* argument = nullptr;
  fs::path file;

  std::string read() const {
    if (argument->count() > 0) return CLI::detail::join(words, " ");
    if (file.empty()) return read_all(std::cin, "standard input");
    std::ifstream stream(file, std::ios::binary);
    if (!stream || fs::is_directory(file)) {
      throw std::runtime_error(file.string() + ": cannot be opened");
    }
    return read_all(stream, file.string());
  }

  void add_to(CLI::App& command, const std::string& name, const std::string& what) {
    argument = command.add_option(name, words, what + " (default: standard input)");
    command.add_option("--file,-f", file, "Read it from a file")->excludes(argument);
  }
};

int run(int argc, char** argv) {
  CLI::App app("Makes and uses tokenizers", "mesita tokenizer");
  app.set_version_flag("--version", "mesita tokenizer " MESITA_VERSION
                                    ", SentencePiece " MESITA_SENTENCEPIECE_VERSION
                                    ", formats: tokenizer.model, symbols.json 1, none.json 1");
  app.require_subcommand(1);
  OutputFormat format = OutputFormat::text;
  fs::path path;
  const auto command = [&](const char* name, const char* what) {
    CLI::App* result = app.add_subcommand(name, what);
    result->add_flag_callback(
        "--json", [&] { format = OutputFormat::json; }, "Print one JSON document");
    return result;
  };
  const auto takes_tokenizer = [&](CLI::App* result) {
    const char* what = "Tokenizer folder, checkpoint folder or .model file";
    result->add_option("--tokenizer,-t", path, what)->required();
  };

  TrainRequest train;
  CLI::App* training = command("train", "Make a SentencePiece vocabulary from text files");
  using Algorithm = SentencePieceOptions::Algorithm;
  const std::map<std::string, Algorithm> algorithms = {{"bpe", Algorithm::bpe},
                                                       {"unigram", Algorithm::unigram}};
  training
      ->add_option("INPUT", train.inputs,
                   "Files of documents: .txt (<|endoftext|> lines between them), .jsonl or .json, "
                   "also packed (.zst, .gz)")
      ->required();
  training->add_option("--out,-o", train.out, "Folder for tokenizer.model")->required();
  training->add_option("--vocabulary,-v", train.options.vocabulary, "Number of ids")
      ->capture_default_str();
  training->add_option("--algorithm", train.options.algorithm, "bpe (default) or unigram")
      ->transform(CLI::CheckedTransformer(algorithms));
  training
      ->add_option("--coverage", train.options.coverage,
                   "Share of the text's characters that get pieces; the others become bytes")
      ->capture_default_str();
  training->add_flag_callback(
      "--join-digits", [&] { train.options.split_digits = false; },
      "Let pieces hold several digits");
  training
      ->add_option("--sentences", train.options.sentences,
                   "Train on so many documents (over 100), drawn by a fixed seed (0: all)")
      ->capture_default_str();
  training->add_flag_callback(
      "--skip-invalid", [&] { train.malformed = mesita::corpus::Malformed::skip; },
      "Skip documents that are malformed and ends of files that are damaged instead of failing");
  training->callback([&] { train_command(train, format, std::cout); });

  Input input;
  CLI::App* encoding = command("encode", "Print the ids of a text");
  takes_tokenizer(encoding);
  input.add_to(*encoding, "TEXT", "Text");
  encoding->callback(
      [&] { encode_command(*load_tokenizer(path), input.read(), format, std::cout); });

  Input ids;
  auto specials = Tokenizer::Specials::hidden;
  CLI::App* decoding = command("decode", "Print the text of ids");
  takes_tokenizer(decoding);
  ids.add_to(*decoding, "ID", "Ids, separated by blanks");
  decoding->add_flag_callback(
      "--specials", [&] { specials = Tokenizer::Specials::spelled; },
      "Spell special ids by their names");
  decoding->callback([&] {
    decode_command(*load_tokenizer(path), parse_ids(ids.read()), specials, format, std::cout);
  });

  CLI::App* inspection = command("inspect", "Describe a tokenizer");
  takes_tokenizer(inspection);
  inspection->callback([&] { inspect_command(*load_tokenizer(path), format, std::cout); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // A word that nothing knows is the likelier mistake than the option that it was meant to be.
    const std::vector<std::string> unknown = app.remaining(true);
    if (unknown.empty()) return app.exit(error), 2;
    return app.exit(CLI::ExtrasError("mesita tokenizer", unknown)), 2;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::cerr << "mesita tokenizer: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "mesita tokenizer: " << error.what() << '\n';
    return 1;
  }
}
