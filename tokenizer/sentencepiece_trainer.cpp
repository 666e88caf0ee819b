#include "tokenizer/sentencepiece_trainer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/text_segments.h"
#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

namespace util = sentencepiece::util;

// SentencePiece's blank and its mark of unknown characters. Sentences with the second are skipped.
constexpr std::string_view kReserved[] = {"\xE2\x96\x81", "\xE2\x96\x85"};

/// Hands documents to SentencePiece in parts that it does not skip.
class SentenceFeed final : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceFeed(const NextDocument& next) : next_(next) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return sentence_; }
  util::Status status() const override {
    if (error_ == nullptr) return {};
    return {util::StatusCode::kAborted, "the documents cannot be read"};
  }

  // Nothing may be thrown through SentencePiece: an exception waits for rethrow_error().
  void Next() override {
    try {
      sentence_.clear();
      while (sentence_.empty()) {
        if (position_ == document_.size() && !read_document()) {
          done_ = true;
          return;
        }
        sentence_ = next_part();
      }
      ++report_.sentences;
    } catch (...) {
      error_ = std::current_exception();
      done_ = true;
    }
  }

  void rethrow_error() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }
  const TrainingReport& report() const { return report_; }

 private:
  bool read_document() {
    document_.clear();
    position_ = 0;
    if (!next_(document_)) return false;
    ++report_.documents;
    report_.bytes += static_cast<int64_t>(document_.size());
    require_utf8(document_, "document " + std::to_string(report_.documents));
    if (document_.empty()) ++report_.empty_documents;
    if (document_.size() > kSegmentBytes) ++report_.cut_documents;
    return true;
  }

  std::string next_part() {
    const std::string_view rest = std::string_view(document_).substr(position_);
    const std::string_view window = rest.substr(0, kSegmentBytes + 1);
    size_t end = window.size();
    for (const std::string_view mark : kReserved) {
      if (rest.starts_with(mark)) {
        ++report_.reserved_characters;
        position_ += mark.size();
        return {};
      }
      end = std::min(end, window.find(mark));
    }
    const std::string_view part =
        window.substr(0, first_segment(window.substr(0, end), kSegmentBytes));
    position_ += part.size();
    return std::string(part);
  }

  const NextDocument& next_;
  std::string document_;
  size_t position_ = 0;
  std::string sentence_;
  bool done_ = false;
  std::exception_ptr error_;
  TrainingReport report_;
};

void check_options(const SentencePieceOptions& options) {
  constexpr int64_t kSmallest = 3 + 256 + 1;
  constexpr int64_t kLargest = 1'000'000;
  if (options.vocabulary < kSmallest || options.vocabulary > kLargest) {
    throw std::invalid_argument("a vocabulary of " + std::to_string(options.vocabulary) +
                                " ids is out of range: 3 special ids, 256 bytes and at least one "
                                "character make " +
                                std::to_string(kSmallest) + ", the largest is " +
                                std::to_string(kLargest));
  }
  if (!(options.coverage >= 0.98 && options.coverage <= 1.0)) {
    throw std::invalid_argument("character coverage " + std::to_string(options.coverage) +
                                " is out of range: 0.98 to 1");
  }
  // SentencePiece refuses samples of 100 and less.
  const bool sample = options.sentences > 100 && options.sentences <= 2'000'000'000;
  if (options.sentences != 0 && !sample) {
    throw std::invalid_argument("the number of sentences must be 0 (all) or 101 to 2000000000, " +
                                std::string("not ") + std::to_string(options.sentences));
  }
}

std::unordered_map<std::string, std::string> arguments(const SentencePieceOptions& options) {
  const bool bpe = options.algorithm == SentencePieceOptions::Algorithm::bpe;
  std::unordered_map<std::string, std::string> result = {
      {"model_type", bpe ? "bpe" : "unigram"},
      {"vocab_size", std::to_string(options.vocabulary)},
      {"character_coverage", std::to_string(options.coverage)},
      {"split_digits", options.split_digits ? "true" : "false"},
      {"normalization_rule_name", "identity"},
      {"add_dummy_prefix", "false"},
      {"remove_extra_whitespaces", "false"},
      {"byte_fallback", "true"},
      {"allow_whitespace_only_pieces", "true"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "-1"},
      {"max_sentence_length", std::to_string(kSegmentBytes)},
      // Unigram training sums floats per thread: one thread gives the same sums everywhere.
      {"num_threads", "1"},
      {"minloglevel", "2"},
  };
  if (options.sentences > 0) {
    result["input_sentence_size"] = std::to_string(options.sentences);
    result["shuffle_input_sentence"] = "true";
  }
  return result;
}

}  // namespace

TrainedSentencePiece train_sentencepiece(const NextDocument& next,
                                         const SentencePieceOptions& options) {
  check_options(options);
  SentenceFeed feed(next);
  if (feed.done()) {
    feed.rethrow_error();
    throw std::runtime_error("there is no text to train a tokenizer on");
  }
  TrainedSentencePiece result;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments(options), &feed, &result.model);
  feed.rethrow_error();
  if (!status.ok()) {
    std::string reason = status.error_message();  // behind "file.cc(line) [condition] "
    if (const size_t end = reason.find("] "); end != reason.npos) reason.erase(0, end + 2);
    throw std::runtime_error("SentencePiece cannot make a vocabulary of " +
                             std::to_string(options.vocabulary) + " ids from " +
                             std::to_string(feed.report().bytes) + " bytes of text: " + reason);
  }
  const auto made = static_cast<int64_t>(parse_sentencepiece_model(result.model).pieces.size());
  if (made != options.vocabulary) {
    throw std::runtime_error("SentencePiece made " + std::to_string(made) + " ids instead of " +
                             std::to_string(options.vocabulary));
  }
  result.report = feed.report();
  return result;
}

}  // namespace mesita::tokenizer
