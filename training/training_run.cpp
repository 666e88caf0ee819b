#include "training/training_run.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/initialization.h"
#include "training/device.h"
#include "training/precision.h"
#include "training/samples.h"

namespace mesita::training {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

std::string text_of(const EvaluationMetrics& metrics) {
  char text[200];
  int length = std::snprintf(text, sizeof text, "step %lld  evaluation loss %.4f",
                             static_cast<long long>(metrics.step), metrics.loss);
  std::string line(text, static_cast<size_t>(length));
  if (metrics.bits_per_byte) {
    std::snprintf(text, sizeof text, "  %.4f bits per byte", *metrics.bits_per_byte);
    line += text;
  }
  if (metrics.exact_loss) {
    std::snprintf(text, sizeof text, "  (exact: %.4f of these tokens, %.4f of the grammar)",
                  *metrics.exact_loss, *metrics.entropy);
    line += text;
  }
  return line;
}

// bf16 values are exact in float32, so this is what the numbers of the stored weights come from.
constexpr Precision kReportedPrecision = Precision::float32;

}  // namespace

TrainingRun::TrainingRun(RunConfig config, const std::filesystem::path& out,
                         ProgressReporter& reporter)
    : config_(std::move(config)), reporter_(reporter) {
  require_free(out);
  const int64_t threads = use_threads(
      config_.threads, config_.batch.rows * config_.row_context() * config_.model.width *
                           std::max(config_.model.feed_forward, config_.model.width));
  keep_freed_memory();
  const c10::Device device = resolve_device(config_.device);
  data_ = make_run_data(config_);
  check_prompts(*data_.tokenizer, data_.start, config_);
  model::validate(config_.model);

  checkpoint_config_.model = config_.model;
  checkpoint_config_.document_start = data_.start;
  checkpoint_config_.end = data_.end;
  checkpoint_config_.trained = config_.trained_roles();
  checkpoint_config_.seed = static_cast<uint64_t>(config_.seed);
  checkpoint_config_.recipe = model::kInitializationRecipe;
  checkpoint_config_.storage = config_.checkpoint.storage == Storage::bf16
                                   ? checkpoint::StorageType::bfloat16
                                   : checkpoint::StorageType::float32;
  checkpoint_config_.trained_on = data_.description;

  const model::ParameterArrays initial =
      model::initial_values(config_.model, checkpoint_config_.seed);
  frozen_ = checkpoint::frozen_hash(checkpoint_config_, initial);
  const bool compact = config_.checkpoint.form == CheckpointForm::compact ||
                       (config_.checkpoint.form == CheckpointForm::automatic && !frozen_.empty());
  form_ = compact ? checkpoint::Form::compact : checkpoint::Form::full;
  model_ = model::make_language_model(config_.model, initial);
  model_->to(device, at::kFloat);
  trainer_ = std::make_unique<TrainStep>(*model_, checkpoint_config_.trained, config_.optimizer,
                                         Precision::float32);
  schedule_ = {.lr = config_.optimizer.lr,
               .min_lr = config_.optimizer.min_lr,
               .warmup_steps = config_.optimizer.warmup_steps,
               .steps = config_.stop.steps};

  folder_ = make_run_folder(out, to_json(config_));
  data_.tokenizer->save(folder_.tokenizer());
  log_ = std::make_unique<MetricsLog>(folder_.metrics());
  choose_precision(threads);
}

void TrainingRun::choose_precision(int64_t threads) {
  const c10::DeviceType device = model_->unembedding().device().type();
  // Measured on an evaluation batch, so that the order of the training data does not change.
  const auto measure = [&](Precision precision) {
    const TokenBatch& batch = data_.evaluation.batches.front();
    trainer_->measure(batch, precision);  // warms up
    return std::min(trainer_->measure(batch, precision), trainer_->measure(batch, precision));
  };
  const PrecisionChoice choice =
      training::choose_precision(config_.precision, multiplies_bf16(device), measure);
  precision_ = choice.precision;
  trainer_->set_precision(precision_);
  reporter_.message(std::string("precision ") +
                    (precision_ == Precision::bf16 ? "bf16" : "float32") + " (" + choice.reason +
                    "), " + std::to_string(threads) + " threads");
}

double TrainingRun::seconds() const {
  return seconds_between(begin_, Clock::now());
}

double TrainingRun::clock() const {
  return config_.stop.minutes > 0 ? seconds() / (60.0 * config_.stop.minutes) : 0.0;
}

double TrainingRun::fraction() const {
  const double steps = config_.stop.steps > 0
                           ? static_cast<double>(steps_) / static_cast<double>(config_.stop.steps)
                           : 0.0;
  return std::max(steps, clock());
}

RunEnd TrainingRun::loop(const std::function<bool()>& stop) {
  begin_ = Clock::now();
  while (true) {
    step();
    if (stop()) return RunEnd::interrupted;
    if (steps_ % config_.evaluation.interval == 0) {
      evaluate_and_save();
      if (config_.stop.target_loss > 0 && last_.loss <= config_.stop.target_loss)
        return RunEnd::target_loss;
    }
    if (config_.samples.interval > 0 && steps_ % config_.samples.interval == 0) sample();
    if (config_.stop.steps > 0 && steps_ >= config_.stop.steps) return RunEnd::steps;
    if (config_.stop.minutes > 0 && clock() >= 1.0) return RunEnd::time;
  }
}

void TrainingRun::step() {
  std::vector<TokenBatch> batches;
  for (int64_t i = 0; i < config_.batch.accumulation; ++i)
    batches.push_back(data_.training->next());
  const Clock::time_point begin = Clock::now();
  unlogged_.push_back(trainer_->run(batches, schedule_.at(steps_, clock())));
  ++steps_;
  tokens_ += unlogged_.back().scored;
  step_seconds_ += seconds_between(begin, Clock::now());
  if (steps_ % config_.log_interval == 0) flush_log();
}

void TrainingRun::flush_log() {
  if (unlogged_.empty()) return;
  const Clock::time_point begin = Clock::now();
  double nats = 0.0;
  int64_t scored = 0;
  const int64_t first = steps_ - static_cast<int64_t>(unlogged_.size());
  for (size_t i = 0; i < unlogged_.size(); ++i) {
    const double loss = unlogged_[i].loss.item<double>();
    const double norm = unlogged_[i].grad_norm.item<double>();
    if (!std::isfinite(loss) || !std::isfinite(norm)) {
      const int64_t step = first + static_cast<int64_t>(i) + 1;
      throw std::runtime_error("step " + std::to_string(step) +
                               ": the loss or its gradient is not finite; the checkpoints in " +
                               folder_.last().parent_path().string() +
                               " are those before it. Lower optimizer.lr, lengthen the warm-up, "
                               "or use --precision float32");
    }
    nats += loss * static_cast<double>(unlogged_[i].scored);
    scored += unlogged_[i].scored;
  }
  step_seconds_ += seconds_between(begin, Clock::now());  // a GPU finishes its steps here
  StepMetrics metrics{.step = steps_,
                      .tokens = tokens_,
                      .loss = nats / static_cast<double>(scored),
                      .lr = schedule_.at(steps_ - 1, clock()),
                      .grad_norm = unlogged_.back().grad_norm.item<double>(),
                      .tokens_per_second = static_cast<double>(scored) / step_seconds_,
                      .seconds = seconds()};
  log_->write(metrics);
  reporter_.progress({.step = steps_,
                      .fraction = fraction(),
                      .loss = metrics.loss,
                      .tokens_per_second = metrics.tokens_per_second,
                      .seconds = metrics.seconds});
  unlogged_.clear();
  step_seconds_ = 0.0;
}

EvaluationMetrics TrainingRun::metrics_of(const Evaluation& evaluation) const {
  EvaluationMetrics metrics{.step = steps_,
                            .tokens = tokens_,
                            .seconds = seconds(),
                            .loss = evaluation.loss,
                            .bits_per_byte = evaluation.bits_per_byte,
                            .exact_loss = {},
                            .entropy = {}};
  if (data_.evaluation.entropy_per_symbol > 0) {
    metrics.exact_loss = data_.evaluation.exact_nats / static_cast<double>(data_.evaluation.scored);
    metrics.entropy = data_.evaluation.entropy_per_symbol;
  }
  return metrics;
}

void TrainingRun::evaluate_and_save() {
  flush_log();
  save(folder_.last());
  last_ = metrics_of(evaluate(*model_, data_.evaluation, precision_));
  const bool is_best = evaluated_at_ < 0 || last_.loss < best_.loss;
  evaluated_at_ = steps_;
  log_->write(last_);
  reporter_.message(text_of(last_));
  if (!is_best) return;
  best_ = last_;
  save(folder_.best());
}

void TrainingRun::save(const std::filesystem::path& folder) {
  checkpoint::save_checkpoint(folder, checkpoint_config_, model::parameter_arrays(*model_),
                              folder_.tokenizer(), form_);
}

void TrainingRun::sample() {
  for (const Sample& sample :
       draw_samples(model_, *data_.tokenizer, data_.start, data_.end, config_)) {
    log_->write_sample(steps_, sample.prompt, sample.text);
    reporter_.message("sample: " + sample.prompt + "|" + sample.text);
  }
  sampled_at_ = steps_;
}

void TrainingRun::verify_frozen() const {
  if (frozen_.empty()) return;
  const std::string now =
      checkpoint::frozen_hash(checkpoint_config_, model::parameter_arrays(*model_));
  if (now != frozen_)
    throw std::runtime_error("a frozen tensor changed during training: its hash was " + frozen_ +
                             ", now it is " + now);
}

EvaluationMetrics TrainingRun::stored_best() const {
  const checkpoint::Checkpoint stored = checkpoint::load_checkpoint(folder_.best());
  const auto model = model::make_language_model(stored.config.model, stored.parameters);
  model->to(model_->unembedding().device(), at::kFloat);
  const Evaluation evaluation = evaluate(*model, data_.evaluation, kReportedPrecision);
  EvaluationMetrics metrics = best_;
  metrics.loss = evaluation.loss;
  metrics.bits_per_byte = evaluation.bits_per_byte;
  return metrics;
}

RunResult TrainingRun::finish(RunEnd end) {
  if (evaluated_at_ != steps_) evaluate_and_save();
  verify_frozen();
  if (sampled_at_ != steps_ && end != RunEnd::interrupted) sample();
  RunResult result{
      .end = end,
      .steps = steps_,
      .tokens = tokens_,
      .seconds = seconds(),
      .parameters = model::count_parameters(config_.model),
      .trained_parameters = model::count_trained(config_.model, checkpoint_config_.trained),
      .precision = precision_ == Precision::bf16 ? "bf16" : "float32",
      .last = last_,
      .best = stored_best(),
      .frozen = frozen_};
  reporter_.message("best checkpoint as stored: " + text_of(result.best));
  return result;
}

}  // namespace mesita::training
