#include "training/metrics_log.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/checkpoint/output_file.h"

namespace mesita::training {
namespace {

using nlohmann::ordered_json;

double unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

ordered_json to_json(const EvaluationMetrics& metrics) {
  ordered_json json{{"step", metrics.step},
                    {"tokens", metrics.tokens},
                    {"seconds", metrics.seconds},
                    {"loss", metrics.loss}};
  if (metrics.bits_per_byte) json["bits_per_byte"] = *metrics.bits_per_byte;
  if (metrics.exact_loss) json["exact_loss"] = *metrics.exact_loss;
  if (metrics.entropy) json["entropy"] = *metrics.entropy;
  return json;
}

MetricsLog::MetricsLog(const std::filesystem::path& file, const std::filesystem::path& events,
                       int64_t kept)
    : path_(file), size_(kept) {
  std::error_code error;
  if (kept > 0) {
    const auto found = std::filesystem::file_size(file, error);
    if (error || found < static_cast<uintmax_t>(kept))
      throw std::runtime_error(file.string() + " has lost lines: it should have " +
                               std::to_string(kept) + " bytes or more");
    std::filesystem::resize_file(file, static_cast<uintmax_t>(kept));
  }
  file_.open(file, kept > 0 ? std::ios::app : std::ios::trunc);
  if (!file_)
    throw std::runtime_error("cannot write " + file.string() + ": " + std::strerror(errno));
  events_.emplace(events, unix_seconds());
  std::ifstream before(file);
  for (std::string line; kept > 0 && std::getline(before, line);)
    write_event(ordered_json::parse(line));
}

void MetricsLog::sync() {
  checkpoint::make_durable(path_);
}

void MetricsLog::write_line(ordered_json line) {
  line["time"] = unix_seconds();
  const std::string text = line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  file_ << text << '\n' << std::flush;
  size_ += static_cast<int64_t>(text.size()) + 1;
  if (!file_) throw std::runtime_error("cannot write " + path_.string() + ": is the disk full?");
  write_event(line);
}

// Every number of a step or an evaluation but those that say when it was.
void MetricsLog::write_event(const ordered_json& line) {
  const std::string kind = line.at("kind");
  if (kind != "step" && kind != "evaluation") return;
  Scalars scalars;
  for (const auto& [name, value] : line.items()) {
    if (value.is_number() && std::isfinite(value.get<double>()) && name != "step" &&
        name != "time" && name != "seconds")
      scalars.emplace_back((kind == "step" ? "train/" : "evaluation/") + name, value);
  }
  events_->write(line.at("step"), line.at("time"), scalars);
}

void MetricsLog::write(const StepMetrics& metrics) {
  write_line({{"kind", "step"},
              {"step", metrics.step},
              {"tokens", metrics.tokens},
              {"loss", metrics.loss},
              {"lr", metrics.lr},
              {"grad_norm", metrics.grad_norm},
              {"tokens_per_second", metrics.tokens_per_second},
              {"flops_per_second", metrics.flops_per_second},
              {"flops_utilisation", metrics.flops_utilisation},
              {"memory_bytes", metrics.memory_bytes},
              {"seconds", metrics.seconds}});
}

void MetricsLog::write(const EvaluationMetrics& metrics) {
  ordered_json line{{"kind", "evaluation"}};
  line.update(to_json(metrics));
  write_line(std::move(line));
}

void MetricsLog::write_skipped(int64_t step, std::string_view reason) {
  write_line({{"kind", "skipped"}, {"step", step}, {"reason", reason}});
}

void MetricsLog::write_sample(int64_t step, std::string_view prompt, std::string_view text) {
  write_line({{"kind", "sample"}, {"step", step}, {"prompt", prompt}, {"text", text}});
}

}  // namespace mesita::training
