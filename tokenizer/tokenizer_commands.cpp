#include "tokenizer/tokenizer_commands.h"

#include <charconv>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "tokenizer/definition_file.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace mesita::tokenizer {
namespace {

using Json = nlohmann::ordered_json;

/// A flat JSON object: as it is, or one "name  value" line for each of its members.
void print(const Json& json, OutputFormat format, std::ostream& out) {
  if (format == OutputFormat::json) {
    out << json.dump() << '\n';
    return;
  }
  constexpr int kNameWidth = 26;
  for (const auto& item : json.items()) {
    out << std::left << std::setw(kNameWidth) << item.key()
        << (item.value().is_string() ? item.value().get<std::string>() : item.value().dump())
        << '\n';
  }
}

/// The documents of several files, one after the other.
class Documents {
 public:
  Documents(const std::vector<std::filesystem::path>& files, corpus::Malformed malformed) {
    for (const auto& file : files) {
      readers_.push_back(corpus::open_documents(file, {.malformed = malformed}));
    }
  }
  bool next(std::string& text) {
    corpus::Document document;
    for (; file_ < readers_.size(); ++file_) {
      if (!readers_[file_]->next(document)) continue;
      text = std::move(document.text);
      return true;
    }
    return false;
  }
  corpus::ReadCounts counts() const {
    corpus::ReadCounts sum;
    for (const auto& reader : readers_) {
      sum.empty += reader->counts().empty;
      sum.malformed += reader->counts().malformed;
      sum.truncated += reader->counts().truncated;
    }
    return sum;
  }

 private:
  std::vector<std::unique_ptr<corpus::DocumentReader>> readers_;
  size_t file_ = 0;
};

}  // namespace

void train_command(const TrainRequest& request, OutputFormat format, std::ostream& out) {
  require_writable_definition(request.out, kSentencePieceFile);
  if (std::filesystem::exists(request.out / kSentencePieceFile)) {
    throw std::runtime_error(request.out.string() +
                             " already holds a tokenizer; choose another folder, or remove it");
  }
  Documents documents(request.inputs, request.malformed);
  const TrainedSentencePiece trained = train_sentencepiece(
      [&](std::string& document) { return documents.next(document); }, request.options);
  const SentencePieceTokenizer tokenizer(trained.model);
  tokenizer.save(request.out);
  const TrainingReport& report = trained.report;
  const corpus::ReadCounts counts = documents.counts();
  print({{"tokenizer", request.out.string()},
         {"hash", tokenizer.hash()},
         {"size", tokenizer.size()},
         {"algorithm", algorithm_name(tokenizer.model().algorithm)},
         {"documents", report.documents},
         {"bytes", report.bytes},
         {"empty_documents", counts.empty},
         {"invalid_documents", counts.malformed},
         {"truncated_files", counts.truncated},
         {"cut_documents", report.cut_documents},
         {"sentences", report.sentences},
         {"reserved_characters", report.reserved_characters}},
        format, out);
}

void encode_command(const Tokenizer& tokenizer, std::string_view text, OutputFormat format,
                    std::ostream& out) {
  const std::vector<Span> spans = tokenizer.encode_with_spans(text);
  if (format == OutputFormat::json) {
    Json json{{"tokens", Json::array()}, {"count", spans.size()}, {"spans", Json::array()}};
    for (const Span& span : spans) {
      json["tokens"].push_back(span.id);
      json["spans"].push_back({span.begin, span.end});
    }
    out << json.dump() << '\n';
    return;
  }
  for (size_t i = 0; i < spans.size(); ++i) out << (i == 0 ? "" : " ") << spans[i].id;
  out << '\n';
}

void decode_command(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                    Tokenizer::Specials specials, OutputFormat format, std::ostream& out) {
  const std::string text = tokenizer.decode(ids, specials);
  if (format == OutputFormat::json) {
    out << Json{{"text", text}}.dump() << '\n';
  } else {
    out << text;
  }
}

void inspect_command(const Tokenizer& tokenizer, OutputFormat format, std::ostream& out) {
  Json json{{"kind", tokenizer.kind()}, {"size", tokenizer.size()}, {"hash", tokenizer.hash()}};
  Json specials = Json::object();
  if (tokenizer.kind() != "none") {
    for (int64_t id = 0; id < tokenizer.size(); ++id) {
      const auto name = tokenizer.special_name(static_cast<int32_t>(id));
      if (name) specials[*name] = id;
    }
  }
  json["specials"] = specials;
  if (const auto* piecewise = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer)) {
    const SentencePieceModel& model = piecewise->model();
    json["algorithm"] = algorithm_name(model.algorithm);
    json["byte_fallback"] = model.byte_fallback;
    json["normalization"] = model.normalization_table.empty() ? "identity" : model.normalization;
    json["dummy_prefix"] = model.adds_dummy_prefix;
    json["removes_extra_whitespace"] = model.removes_extra_whitespace;
    json["lossless"] = model.lossless();
  }
  print(json, format, out);
}

std::vector<int32_t> parse_ids(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";
  std::vector<int32_t> ids;
  size_t begin = text.find_first_not_of(kWhiteSpace);
  while (begin != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    int32_t id = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), id);
    if (result.ec != std::errc{} || result.ptr != word.data() + word.size()) {
      throw std::invalid_argument("not a token id: \"" + word.substr(0, 32) + "\" at byte " +
                                  std::to_string(begin));
    }
    ids.push_back(id);
    begin = text.find_first_not_of(kWhiteSpace, end);
  }
  return ids;
}

}  // namespace mesita::tokenizer
