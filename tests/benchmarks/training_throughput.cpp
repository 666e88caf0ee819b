// Steps of our trainer at a given shape, for training_throughput.py: reads numbers of steps from
// standard input, one a line, and answers each with the seconds that they took.
//
//   training_throughput LAYERS HEADS WIDTH VOCABULARY ROWS CONTEXT float32|bf16 all|embeddings
//   [THREADS]

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "model/initialization.h"
#include "model/kernels/seeded_normal.h"
#include "training/device.h"
#include "training/train_step.h"

namespace {

using namespace mesita;

int64_t number(const char* text) {
  return std::stoll(text);
}

training::TokenBatch random_batch(int64_t rows, int64_t context, int64_t vocabulary) {
  training::TokenBatch batch{
      .rows = rows, .context = context, .ids = {}, .targets = {}, .scored = rows * context};
  const auto id = [&](uint64_t stream, int64_t i) {
    return static_cast<int64_t>(kernels::seeded_uniform(1, stream, static_cast<uint64_t>(i)) *
                                static_cast<double>(vocabulary));
  };
  for (int64_t i = 0; i < batch.scored; ++i) {
    batch.ids.push_back(id(0, i));
    batch.targets.push_back(id(1, i));
  }
  return batch;
}

void serve(char** words, int threads) {
  model::ModelConfig config;
  config.layers = number(words[1]);
  config.heads = number(words[2]);
  config.width = number(words[3]);
  config.feed_forward = 4 * config.width;
  config.vocabulary = number(words[4]);
  const int64_t rows = number(words[5]);
  config.context = number(words[6]);
  training::use_threads(threads, rows * config.context * config.width * config.feed_forward);
  training::keep_freed_memory();
  const bool bf16 = std::string(words[7]) == "bf16";

  const auto model = model::make_language_model(config, model::initial_values(config, 1));
  training::TrainStep step(*model, model::trained_roles(words[8]), training::RunConfig::Optimizer{},
                           bf16 ? training::Precision::bf16 : training::Precision::float32);
  const training::TokenBatch batch = random_batch(rows, config.context, config.vocabulary);
  for (int64_t steps; std::cin >> steps;) {
    const auto begin = std::chrono::steady_clock::now();
    double loss = 0.0;
    for (int64_t i = 0; i < steps; ++i) loss = step.run({&batch, 1}, 1e-3).loss.item<double>();
    const auto end = std::chrono::steady_clock::now();
    std::printf("{\"seconds\": %.6f, \"loss\": %.6f}\n",
                std::chrono::duration<double>(end - begin).count(), loss);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 9) {
    std::fprintf(stderr, "see the head of training_throughput.cpp\n");
    return 2;
  }
  serve(words, count > 9 ? static_cast<int>(number(words[9])) : 0);
  return 0;
}
