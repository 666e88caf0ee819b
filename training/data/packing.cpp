#include "training/data/packing.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tokenizer/tokenizer.h"
#include "training/data/pack_writer.h"
#include "training/data/text_documents.h"

namespace mesita::training {
namespace fs = std::filesystem;
namespace {

constexpr size_t kBatchBytes = size_t{1} << 20;
constexpr size_t kBatchDocuments = 4096;

/// Documents on their way through the encoder, and where the file stands behind them.
struct Batch {
  std::vector<corpus::Document> texts;
  std::vector<EncodedDocument> encoded;
  std::vector<std::string> refused;  // "file:line: reason" of what has no ids
  size_t input = 0;
  int64_t taken = 0;          // documents of the input that were read up to here
  corpus::ReadCounts counts;  // of the input, up to here
  uint64_t file_bytes = 0;    // of the input that were read
  bool last = false;          // of its input
};

PackedInput described(const fs::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0)
    throw std::runtime_error(file.string() + " cannot be opened");
  constexpr int64_t kNanoseconds = 1000000000;
  return {.file = fs::absolute(file).lexically_normal().string(),
          .bytes = static_cast<uint64_t>(status.st_size),
          .modified = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

PackInfo fresh_info(const PackRequest& request, const tokenizer::Tokenizer& tokenizer) {
  PackInfo info;
  info.type = type_for(tokenizer.size());
  info.vocabulary = tokenizer.size();
  info.tokenizer_hash = tokenizer.hash();
  info.marks = document_marks(tokenizer);
  for (const fs::path& file : request.inputs) {
    info.inputs.push_back(described(file));
    const std::string& path = info.inputs.back().file;
    if (std::ranges::count(info.inputs, path, &PackedInput::file) > 1)
      throw std::invalid_argument(path + " is given twice");
  }
  return info;
}

Batch encode(Batch batch, const tokenizer::Tokenizer& tokenizer, DocumentMarks marks,
             const std::string& file) {
  for (const corpus::Document& text : batch.texts) {
    try {
      batch.encoded.push_back({document_ids(text.text, tokenizer, marks),
                               static_cast<int64_t>(text.text.size()), text.set});
    } catch (const std::invalid_argument& error) {
      batch.refused.push_back(file + ":" + std::to_string(text.line) + ": " + error.what());
    }
  }
  batch.texts.clear();
  batch.texts.shrink_to_fit();
  return batch;
}

/// One call of pack().
class PackRun {
 public:
  PackRun(const PackRequest& request, const PackHooks& hooks)
      : request_(request),
        hooks_(hooks),
        tokenizer_(tokenizer::load_tokenizer(request.tokenizer)),
        writer_(request.out, fresh_info(request, *tokenizer_)) {
    for (const PackedInput& input : writer_.info().inputs) all_bytes_ += input.bytes;
  }

  PackOutcome run() {
    const PackPlace begin = writer_.place();
    if (begin != PackPlace{}) {
      say("going on behind " + std::to_string(writer_.info().documents) + " documents and " +
          std::to_string(writer_.info().tokens) + " tokens");
    }
    for (size_t input = begin.input; input < request_.inputs.size(); ++input) {
      if (!pack_input(input, input == begin.input ? begin.taken : 0)) return stopped();
    }
    finish_all();
    if (writer_.info().documents == 0)
      throw std::runtime_error("the files hold no document with text");
    writer_.finish(*tokenizer_);
    return {writer_.info(), true};
  }

 private:
  void say(const std::string& text) const {
    if (hooks_.message) hooks_.message(text);
  }

  PackOutcome stopped() {
    finish_all();
    writer_.save(written_);
    return {writer_.info(), false};
  }

  /// False when asked to stop.
  bool pack_input(size_t input, int64_t taken) {
    bool quiet = taken > 0;
    const auto reader = corpus::open_documents(
        request_.inputs[input],
        {.malformed = request_.malformed, .report = [&](const std::string& text) {
           if (!quiet) say(text);
         }});
    corpus::Document document;
    for (int64_t i = 0; i < taken; ++i) {
      if (!reader->next(document))
        throw std::runtime_error(request_.inputs[input].string() + " has changed: pack it again");
    }
    quiet = false;
    for (bool more = true; more;) {
      if (hooks_.stop && hooks_.stop()) return false;
      Batch batch;
      batch.input = input;
      std::exception_ptr failure;
      more = read(*reader, batch, failure);
      taken += static_cast<int64_t>(batch.texts.size());
      batch.taken = taken;
      batch.counts = reader->counts();
      batch.file_bytes = reader->bytes_read();
      batch.last = !more;
      start(std::move(batch));
      if (!failure) continue;
      finish_all();
      writer_.save(written_);
      std::rethrow_exception(failure);
    }
    return true;
  }

  /// Fills a batch; false at the end of the input. What stops the reader comes behind what it gave.
  static bool read(corpus::DocumentReader& reader, Batch& batch, std::exception_ptr& failure) {
    size_t bytes = 0;
    corpus::Document document;
    try {
      while (bytes < kBatchBytes && batch.texts.size() < kBatchDocuments) {
        if (!reader.next(document)) return false;
        bytes += document.text.size();
        batch.texts.push_back(std::move(document));
      }
    } catch (...) {
      failure = std::current_exception();
    }
    return true;
  }

  void start(Batch batch) {
    const std::string& file = writer_.info().inputs[batch.input].file;
    under_way_.push_back(
        std::async(std::launch::async, [this, file, batch = std::move(batch)]() mutable {
          return encode(std::move(batch), *tokenizer_, marks_, file);
        }));
    while (static_cast<int64_t>(under_way_.size()) > std::max<int64_t>(request_.threads, 1))
      finish_one();
  }

  void finish_all() {
    while (!under_way_.empty()) finish_one();
  }

  void finish_one() {
    Batch batch = under_way_.front().get();
    under_way_.pop_front();
    if (!batch.refused.empty() && request_.malformed == corpus::Malformed::fail) {
      under_way_.clear();  // what comes behind must wait for it
      writer_.save(written_);
      throw std::runtime_error(batch.refused.front());
    }
    for (const std::string& reason : batch.refused) say(reason);
    for (const EncodedDocument& document : batch.encoded) {
      writer_.append(document, batch.input);
      progress_.text_bytes += document.bytes;
      progress_.tokens += static_cast<int64_t>(document.ids.size());
      unsaved_ += document.bytes;
    }
    PackedInput& input = writer_.input(batch.input);
    input.empty = batch.counts.empty;
    input.malformed = batch.taken - input.documents + batch.counts.malformed;
    input.truncated = batch.counts.truncated > 0;
    written_ = batch.last ? PackPlace{batch.input + 1, 0} : PackPlace{batch.input, batch.taken};
    if (unsaved_ >= request_.save_interval) {
      writer_.save(written_);
      unsaved_ = 0;
    }
    report(batch);
  }

  void report(const Batch& batch) {
    uint64_t done = batch.file_bytes;
    for (size_t i = 0; i < batch.input; ++i) done += writer_.info().inputs[i].bytes;
    progress_.fraction =
        all_bytes_ == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all_bytes_);
    if (hooks_.progress) hooks_.progress(progress_);
  }

  const PackRequest& request_;
  const PackHooks& hooks_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;
  PackWriter writer_;
  DocumentMarks marks_ = writer_.info().marks;
  std::deque<std::future<Batch>> under_way_;  // in the order of the documents
  PackPlace written_ = writer_.place();       // behind what the writer has
  PackProgress progress_;
  uint64_t all_bytes_ = 0;
  int64_t unsaved_ = 0;
};

}  // namespace

PackOutcome pack(const PackRequest& request, const PackHooks& hooks) {
  if (request.inputs.empty()) throw std::invalid_argument("there is no file to pack");
  return PackRun(request, hooks).run();
}

}  // namespace mesita::training
