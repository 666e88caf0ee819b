#include "training/training_run.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "model/initialization.h"
#include "training/device.h"
#include "training/machine.h"
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

// Weights in full precision, where the checkpoint stores them rounded.
constexpr std::string_view kWeightPrefix = "weights.";

LrSchedule schedule_of(const RunConfig& config) {
  return {.lr = config.optimizer.lr,
          .min_lr = config.optimizer.min_lr,
          .warmup_steps = config.optimizer.warmup_steps,
          .steps = config.stop.steps,
          .kind = config.optimizer.schedule,
          .decay_fraction = config.optimizer.decay_fraction};
}

}  // namespace

TrainingRun::TrainingRun(RunConfig config, const std::filesystem::path& out, Begin begin,
                         ProgressReporter& reporter)
    : config_(std::move(config)), reporter_(reporter) {
  if (begin == Begin::fresh) require_free(out);
  config_.threads = use_threads(config_.threads,
                                config_.batch.rows * config_.row_context() * config_.model.width *
                                    std::max(config_.model.feed_forward, config_.model.width));
  keep_freed_memory();
  const c10::Device device = resolve_device(config_.device);
  config_.device = device.str();
  data_ = make_run_data(config_);
  check_prompts(*data_.tokenizer, data_.start, config_);
  model::validate(config_.model);
  describe_checkpoint();

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
  schedule_ = schedule_of(config_);
  choose_precision();
  machine_ = machine_description(device, config_.threads);
  if (begin == Begin::fresh) {
    folder_ = make_run_folder(out, to_json(config_));
  } else {
    folder_ = RunFolder{out};
  }
  data_.tokenizer->save(folder_.tokenizer());
  if (begin != Begin::fresh && checkpoint::is_checkpoint(folder_.last())) {
    go_on(begin);
  } else {
    log_ = std::make_unique<MetricsLog>(folder_.metrics(), folder_.events());
  }
}

void TrainingRun::describe_checkpoint() {
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
}

void TrainingRun::choose_precision() {
  const c10::DeviceType device = model_->unembedding().device().type();
  // Measured on an evaluation batch, so that the order of the training data does not change.
  const auto measure = [&](Precision precision) {
    const TokenBatch& batch = data_.evaluation.batches.front();
    trainer_->measure(batch, precision);  // warms up
    return std::min(trainer_->measure(batch, precision), trainer_->measure(batch, precision));
  };
  const PrecisionChoice choice =
      training::choose_precision(config_.precision, multiplies_bf16(device), measure);
  config_.precision = choice.precision;
  trainer_->set_precision(choice.precision);
  reporter_.message(std::string("precision ") +
                    (choice.precision == Precision::bf16 ? "bf16" : "float32") + " (" +
                    choice.reason + "), " + std::to_string(config_.threads) + " threads");
}

ResumePoint TrainingRun::here() const {
  return {.step = steps_,
          .tokens = tokens_,
          .seconds = seconds(),
          .skipped = skipped_,
          .evaluated_at = evaluated_at_,
          .sampled_at = sampled_at_,
          .last = last_,
          .best = best_,
          .cursor = data_.training->cursor(),
          .metrics_bytes = log_ ? log_->size() : 0,
          .config = to_json(config_),
          .data = data_.hash,
          .machine = machine_};
}

void TrainingRun::go_on(Begin begin) {
  try {
    checkpoint::ResumableCheckpoint saved = checkpoint::load_resumable(folder_.last());
    const checkpoint::TrainingState& state = saved.training_state;
    const ResumePoint point = resume_point(state.notes);
    const std::string changed = differences(point, here());
    if (!changed.empty() && begin == Begin::resume)
      throw std::runtime_error(
          "it would not be the same run: " + changed +
          ". Undo that, or continue all the same with --resume=anyway (not bit-exact)");
    if (!changed.empty()) reporter_.message("warning: not bit-exact: " + changed);

    model::ParameterArrays& values = saved.checkpoint.parameters;
    for (const auto& [name, array] : state.tensors) {
      if (name.starts_with(kWeightPrefix)) values[name.substr(kWeightPrefix.size())] = array;
    }
    model::assign_parameters(*model_, values);
    trainer_->load_state(state.tensors);
    data_.training->seek(point.cursor);
    steps_ = point.step;
    tokens_ = point.tokens;
    seconds_before_ = point.seconds;
    skipped_ = point.skipped;
    evaluated_at_ = point.evaluated_at;
    sampled_at_ = point.sampled_at;
    last_ = point.last;
    best_ = point.best;
    log_ = std::make_unique<MetricsLog>(folder_.metrics(), folder_.events(), point.metrics_bytes);
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot resume " + folder_.root.string() + ": " + error.what());
  }
  reporter_.message("resumed at step " + std::to_string(steps_));
}

double TrainingRun::seconds() const {
  return seconds_before_ + seconds_between(begin_, Clock::now());
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

std::optional<RunEnd> TrainingRun::ended() const {
  if (config_.stop.target_loss > 0 && evaluated_at_ == steps_ &&
      last_.loss <= config_.stop.target_loss)
    return RunEnd::target_loss;
  if (config_.stop.steps > 0 && steps_ >= config_.stop.steps) return RunEnd::steps;
  if (config_.stop.minutes > 0 && clock() >= 1.0) return RunEnd::time;
  return {};
}

RunEnd TrainingRun::loop(const std::function<bool()>& stop) {
  begin_ = Clock::now();
  while (true) {
    if (const auto end = ended()) return *end;
    step();
    if (stop()) return RunEnd::interrupted;
    const auto due = [&](int64_t interval) { return interval > 0 && steps_ % interval == 0; };
    const bool evaluates = due(config_.evaluation.interval);
    if (evaluates) evaluate_and_keep_best();
    if (due(config_.samples.interval)) sample();
    // Last: what it keeps must include everything that this step wrote.
    if (evaluates || due(config_.checkpoint.interval)) save_last();
  }
}

void TrainingRun::step() {
  std::vector<TokenBatch> batches;
  for (int64_t i = 0; i < config_.batch.accumulation; ++i)
    batches.push_back(data_.training->next());
  const Clock::time_point begin = Clock::now();
  lr_ = schedule_.at(steps_, clock());
  unlogged_.push_back(trainer_->run(batches, lr_));
  ++steps_;
  tokens_ += unlogged_.back().scored;
  step_seconds_ += seconds_between(begin, Clock::now());
  if (steps_ % config_.log_interval == 0) flush_log();
}

// The optimizer has left the weights as they were.
void TrainingRun::report_skipped(int64_t step) {
  const std::string reason = "the loss or its gradient is not finite";
  log_->write_skipped(step, reason);
  reporter_.message("step " + std::to_string(step) + " skipped: " + reason);
  if (++skipped_ <= config_.stop.skipped_steps) return;
  throw std::runtime_error(
      "step " + std::to_string(step) + ": " + reason + ", " + std::to_string(skipped_) +
      " times in a row; the checkpoints in " + folder_.last().parent_path().string() +
      " are those before it. Lower optimizer.lr, lengthen the warm-up, or use --precision float32");
}

void TrainingRun::flush_log() {
  if (unlogged_.empty()) return;
  const Clock::time_point begin = Clock::now();
  const std::vector<TrainStep::Result> results = std::exchange(unlogged_, {});
  const int64_t first = steps_ - static_cast<int64_t>(results.size());
  double nats = 0.0, norm = 0.0;
  int64_t scored = 0, all_scored = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const double loss = results[i].loss.item<double>();
    const double gradient = results[i].grad_norm.item<double>();
    all_scored += results[i].scored;
    if (!std::isfinite(loss) || !std::isfinite(gradient)) {
      report_skipped(first + static_cast<int64_t>(i) + 1);
      continue;
    }
    skipped_ = 0;
    norm = gradient;
    nats += loss * static_cast<double>(results[i].scored);
    scored += results[i].scored;
  }
  step_seconds_ += seconds_between(begin, Clock::now());  // a GPU finishes its steps here
  if (scored > 0) {
    const StepMetrics metrics{.step = steps_,
                              .tokens = tokens_,
                              .loss = nats / static_cast<double>(scored),
                              .lr = lr_,
                              .grad_norm = norm,
                              .tokens_per_second = static_cast<double>(all_scored) / step_seconds_,
                              .seconds = seconds()};
    log_->write(metrics);
    reporter_.progress({.step = steps_,
                        .fraction = fraction(),
                        .loss = metrics.loss,
                        .tokens_per_second = metrics.tokens_per_second,
                        .seconds = metrics.seconds});
  }
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

void TrainingRun::evaluate_and_keep_best() {
  flush_log();
  last_ = metrics_of(evaluate_stored());
  const bool is_best = evaluated_at_ < 0 || last_.loss < best_.loss;
  evaluated_at_ = steps_;
  log_->write(last_);
  reporter_.message(text_of(last_));
  if (!is_best) return;
  best_ = last_;
  checkpoint::save_checkpoint(folder_.best(), checkpoint_config_, model::parameter_arrays(*model_),
                              folder_.tokenizer(), form_);
}

Evaluation TrainingRun::evaluate_stored() {
  if (config_.checkpoint.storage == Storage::float32)
    return evaluate(*model_, data_.evaluation, config_.precision);
  // The numbers are those of the weights as they are stored, not of the ones that go on training.
  const c10::NoGradGuard no_grad;
  std::vector<std::pair<at::Tensor, at::Tensor>> kept;
  for (const auto& [name, tensor] : model_->named_parameters()) {
    if (!tensor.requires_grad()) continue;
    kept.emplace_back(tensor, tensor.clone());
    tensor.copy_(tensor.to(at::kBFloat16));
  }
  const Evaluation evaluation = evaluate(*model_, data_.evaluation, config_.precision);
  for (const auto& [tensor, values] : kept) tensor.copy_(values);
  return evaluation;
}

void TrainingRun::save_last() {
  flush_log();
  log_->sync();
  const model::ParameterArrays values = model::parameter_arrays(*model_);
  checkpoint::TrainingState state{.tensors = trainer_->state(), .notes = to_notes(here())};
  if (config_.checkpoint.storage != Storage::float32) {
    for (const model::ParameterSpec& spec : model::parameter_specs(config_.model)) {
      if (model::is_trained(spec, checkpoint_config_.trained))
        state.tensors[std::string(kWeightPrefix) + spec.name] = values.at(spec.name);
    }
  }
  checkpoint::save_checkpoint(folder_.last(), checkpoint_config_, values, folder_.tokenizer(),
                              form_, state);
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
  const bool evaluates = evaluated_at_ != steps_;
  const bool samples = sampled_at_ != steps_ && end != RunEnd::interrupted;
  if (evaluates) evaluate_and_keep_best();
  verify_frozen();
  if (samples) sample();
  if (evaluates || samples) save_last();
  RunResult result{
      .end = end,
      .steps = steps_,
      .tokens = tokens_,
      .seconds = seconds(),
      .parameters = model::count_parameters(config_.model),
      .trained_parameters = model::count_trained(config_.model, checkpoint_config_.trained),
      .precision = config_.precision == Precision::bf16 ? "bf16" : "float32",
      .last = last_,
      .best = stored_best(),
      .frozen = frozen_};
  reporter_.message("best checkpoint as stored: " + text_of(result.best));
  return result;
}

}  // namespace mesita::training
