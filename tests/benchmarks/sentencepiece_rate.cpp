// SentencePiece alone, the peer of pack.py: sentencepiece_rate MODEL TEXTS THREADS encodes the
// lines of a file, which are in memory, and prints seconds and ids as JSON.
#include <sentencepiece_processor.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** words) {
  if (count != 4) return 2;
  sentencepiece::SentencePieceProcessor processor;
  if (!processor.Load(words[1]).ok()) return 1;
  std::vector<std::string> texts;
  std::ifstream file(words[2]);
  for (std::string line; std::getline(file, line);) texts.push_back(std::move(line));
  std::atomic<size_t> next = 0, ids = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(words[3]); ++i) {
    threads.emplace_back([&] {
      for (size_t text; (text = next++) < texts.size();) {
        std::vector<int> encoded;
        if (processor.Encode(texts[text], &encoded).ok()) ids += encoded.size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("{\"seconds\": %.3f, \"ids\": %zu}\n", seconds.count(), ids.load());
}
