#pragma once

#include <array>
#include <memory>
#include <string>

#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/sentencepiece_trainer.h"

namespace mesita::testing {

/// Sentence number `index` of an endless made-up text: no outside data is needed.
inline std::string tiny_sentence(int index) {
  constexpr std::array kWho = {"the table", "a chair", "Mia", "the dog", "Olé the cat", "a lamp"};
  constexpr std::array kDid = {"saw", "found", "lost", "wanted", "painted"};
  constexpr std::array kWhat = {"a leg",    "the ball", "three cups", "some “tea”",
                                "the door", "no one",   "a red hat"};
  const auto i = static_cast<size_t>(index);
  return std::string(kWho[i % kWho.size()]) + " " + kDid[i % kDid.size()] + " " +
         kWhat[i * 3 % kWhat.size()] + (i % 4 == 0 ? ".\n" : ". ");
}

/// A text of `sentences` sentences.
inline std::string tiny_text(int sentences, int first = 0) {
  std::string text;
  for (int i = 0; i < sentences; ++i) text += tiny_sentence(first + i);
  return text;
}

/// A serialised SentencePiece model (BPE, byte fallback, lossless) of `vocabulary` ids.
inline std::string tiny_sentencepiece_model(int vocabulary = 320) {
  int index = 0;
  const auto next = [&index](std::string& document) {
    document = tiny_text(4, 4 * index);
    return index++ < 100;
  };
  tokenizer::SentencePieceOptions options;
  options.vocabulary = vocabulary;
  return tokenizer::train_sentencepiece(next, options).model;
}

inline std::unique_ptr<tokenizer::Tokenizer> tiny_sentencepiece_tokenizer(int vocabulary = 320) {
  return std::make_unique<tokenizer::SentencePieceTokenizer>(tiny_sentencepiece_model(vocabulary));
}

}  // namespace mesita::testing
