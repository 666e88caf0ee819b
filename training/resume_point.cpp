#include "training/resume_point.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mesita::training {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNote = "run";

EvaluationMetrics point_metrics(const ordered_json& saved) {
  const auto number = [&](const char* name) {
    const auto value = saved.find(name);
    const bool has = value != saved.end() && !value->is_null();
    return has ? value->get<double>() : std::optional<double>();
  };
  EvaluationMetrics metrics;
  saved.at("step").get_to(metrics.step);
  saved.at("tokens").get_to(metrics.tokens);
  saved.at("seconds").get_to(metrics.seconds);
  saved.at("loss").get_to(metrics.loss);
  metrics.bits_per_byte = number("bits_per_byte");
  metrics.exact_loss = number("exact_loss");
  metrics.entropy = number("entropy");
  return metrics;
}

}  // namespace

std::map<std::string, std::string> to_notes(const ResumePoint& point) {
  return {{kNote, ordered_json{{"step", point.step},
                               {"tokens", point.tokens},
                               {"seconds", point.seconds},
                               {"skipped", point.skipped},
                               {"evaluated_at", point.evaluated_at},
                               {"sampled_at", point.sampled_at},
                               {"last", to_json(point.last)},
                               {"best", to_json(point.best)},
                               {"cursor", point.cursor},
                               {"metrics_bytes", point.metrics_bytes},
                               {"config", point.config},
                               {"data", point.data},
                               {"machine", point.machine}}
                      .dump()}};
}

ResumePoint resume_point(const std::map<std::string, std::string>& notes) {
  try {
    const ordered_json saved = ordered_json::parse(notes.at(kNote));
    ResumePoint point;
    saved.at("step").get_to(point.step);
    saved.at("tokens").get_to(point.tokens);
    saved.at("seconds").get_to(point.seconds);
    saved.at("skipped").get_to(point.skipped);
    saved.at("evaluated_at").get_to(point.evaluated_at);
    saved.at("sampled_at").get_to(point.sampled_at);
    point.last = point_metrics(saved.at("last"));
    point.best = point_metrics(saved.at("best"));
    saved.at("cursor").get_to(point.cursor);
    saved.at("metrics_bytes").get_to(point.metrics_bytes);
    saved.at("config").get_to(point.config);
    saved.at("data").get_to(point.data);
    saved.at("machine").get_to(point.machine);
    return point;
  } catch (const std::exception& error) {
    throw std::runtime_error(
        std::string("its training state was not written by this version of mesita train (") +
        error.what() + "); start the run anew");
  }
}

std::string differences(const ResumePoint& saved, const ResumePoint& present) {
  std::string text;
  const auto add = [&](const std::string& difference) {
    text += (text.empty() ? "" : "; ") + difference;
  };
  if (saved.config != present.config) add("config.json was edited");
  if (saved.data != present.data) add("the training data are others");
  if (saved.machine != present.machine)
    add("the machine was '" + saved.machine + "' and is '" + present.machine + "'");
  return text;
}

}  // namespace mesita::training
