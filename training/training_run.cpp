#include "training/training_run.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "model/initialization.h"
#include "training/device.h"
#include "training/machine.h"
#include "training/machine_limits.h"
#include "training/precision.h"
#include "training/samples.h"
#include "training/step_flops.h"

namespace mesita::training {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// bf16 values are exact in float32, so this is what the numbers of the stored weights come from.
constexpr Precision kReportedPrecision = Precision::float32;

// Weights in full precision, where the checkpoint stores them rounded.
constexpr std::string_view kWeightPrefix = "weights.";

// The state of several members lies in one file: names of all but the first begin with a number.
std::string prefix_of(size_t member) {
  return member == 0 ? "" : std::to_string(member) + "/";
}

template <typename Value>
std::map<std::string, Value> part_of(const std::map<std::string, Value>& all, size_t member) {
  const std::string prefix = prefix_of(member);
  std::map<std::string, Value> part;
  for (const auto& [name, value] : all) {
    const bool belongs = member == 0 ? name.find('/') == name.npos : name.starts_with(prefix);
    if (belongs) part[name.substr(prefix.size())] = value;
  }
  return part;
}

template <typename Value>
void enter_part(std::map<std::string, Value>& all, size_t member,
                std::map<std::string, Value> part) {
  for (auto& [name, value] : part) all[prefix_of(member) + name] = std::move(value);
}

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
  const auto seeds = static_cast<int64_t>(config_.all_seeds().size());
  config_.threads = use_threads(
      config_.threads, seeds * config_.batch.rows * config_.row_context() * config_.model.width *
                           std::max(config_.model.feed_forward, config_.model.width));
  keep_freed_memory();
  const c10::Device device = resolve_device(config_.device);
  config_.device = device.str();
  data_ = make_run_data(config_);
  check_prompts(*data_.tokenizer, data_.start, config_);
  model::validate(config_.model);
  make_members();
  make_models(device);
  schedule_ = schedule_of(config_);
  choose_precision();
  peak_flops_ = measured_peak_flops(device, config_.precision);
  step_flops_ = config_.batch.accumulation * step_flops(config_.model, config_.trained_roles(),
                                                        config_.batch.rows, config_.row_context())
                                                 .total();
  machine_ = machine_description(device, config_.threads);
  make_folders(out, begin);
  if (begin != Begin::fresh && checkpoint::is_checkpoint(members_.front().folder.last())) {
    go_on(begin);
    logged_at_ = first_step_ = steps_;
    return;
  }
  for (RunMember& member : members_)
    member.log = std::make_unique<MetricsLog>(member.folder.metrics(), member.folder.events());
}

void TrainingRun::make_members() {
  const std::vector<int64_t> seeds = config_.all_seeds();
  for (size_t i = 0; i < seeds.size(); ++i) {
    RunConfig config = config_;
    config.seed = seeds[i];
    RunMember& member = members_.emplace_back(std::move(config), *data_.training.at(i));
    if (seeds.size() > 1) member.prefix = "seed " + std::to_string(seeds[i]) + ": ";
    checkpoint::CheckpointConfig& checkpoint = member.checkpoint;
    checkpoint.model = config_.model;
    checkpoint.document_start = data_.start;
    checkpoint.end = data_.end;
    checkpoint.trained = config_.trained_roles();
    checkpoint.seed = static_cast<uint64_t>(seeds[i]);
    checkpoint.recipe = model::kInitializationRecipe;
    checkpoint.storage = config_.checkpoint.storage == Storage::bf16
                             ? checkpoint::StorageType::bfloat16
                             : checkpoint::StorageType::float32;
    checkpoint.trained_on = data_.description;
  }
}

void TrainingRun::make_models(c10::Device device) {
  std::vector<model::ParameterArrays> initial;
  for (RunMember& member : members_) {
    initial.push_back(model::initial_values(config_.model, member.checkpoint.seed));
    member.frozen = checkpoint::frozen_hash(member.checkpoint, initial.back());
  }
  const bool compact =
      config_.checkpoint.form == CheckpointForm::compact ||
      (config_.checkpoint.form == CheckpointForm::automatic && !members_.front().frozen.empty());
  form_ = compact ? checkpoint::Form::compact : checkpoint::Form::full;
  team_ = SeedTeam(config_, initial, device);
}

// A run of several seeds has a folder for each in its own; a killed one may lack some of them.
void TrainingRun::make_folders(const std::filesystem::path& out, Begin begin) {
  if (begin == Begin::fresh) make_run_folder(out, to_json(config_));
  for (RunMember& member : members_) {
    if (members_.size() == 1) {
      member.folder = RunFolder{out};
    } else {
      RunConfig alone = member.config();
      alone.seeds.clear();
      member.folder = RunFolder{out / ("seed-" + std::to_string(member.seed()))};
      if (!std::filesystem::exists(member.folder.config()))
        make_run_folder(member.folder.root, to_json(alone));
    }
    data_.tokenizer->save(member.folder.tokenizer());
  }
}

void TrainingRun::choose_precision() {
  const c10::DeviceType device = team_.device().type();
  // Measured on an evaluation batch, so that the order of the training data does not change.
  const auto measure = [&](Precision precision) {
    const TokenBatch& batch = data_.evaluation.batches.front();
    team_.measure(batch, precision);  // warms up
    return std::min(team_.measure(batch, precision), team_.measure(batch, precision));
  };
  const PrecisionChoice choice =
      training::choose_precision(config_.precision, multiplies_bf16(device), measure);
  config_.precision = choice.precision;
  team_.set_precision(choice.precision);
  reporter_.message(std::string("precision ") +
                    (choice.precision == Precision::bf16 ? "bf16" : "float32") + " (" +
                    choice.reason + "), " + std::to_string(config_.threads) + " threads");
}

ResumePoint TrainingRun::here(size_t number) const {
  const RunMember& member = members_[number];
  return {.step = steps_,
          .tokens = member.tokens,
          .seconds = seconds(),
          .skipped = member.skipped,
          .evaluated_at = evaluated_at_,
          .sampled_at = sampled_at_,
          .last = member.last,
          .best = member.best,
          .cursor = data_.training[number]->cursor(),
          .metrics_bytes = member.log ? member.log->size() : 0,
          .config = to_json(config_),
          .data = data_.hash,
          .machine = machine_};
}

// The first member's checkpoint holds the state of all: one folder is replaced in one step.
void TrainingRun::go_on(Begin begin) {
  const std::filesystem::path folder = members_.front().folder.last();
  try {
    const checkpoint::ResumableCheckpoint saved = checkpoint::load_resumable(folder);
    for (size_t i = 0; i < members_.size(); ++i) {
      const ResumePoint point = resume_point(part_of(saved.training_state.notes, i));
      const std::string changed = differences(point, here(i));
      if (!changed.empty() && begin == Begin::resume)
        throw std::runtime_error(
            "it would not be the same run: " + changed +
            ". Undo that, or continue all the same with --resume=anyway (not bit-exact)");
      if (!changed.empty() && i == 0) reporter_.message("warning: not bit-exact: " + changed);
      restore(i, point, i == 0 ? saved.checkpoint.parameters : team_.values(i),
              {.tensors = part_of(saved.training_state.tensors, i), .notes = {}});
    }
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot resume " + folder.parent_path().parent_path().string() + ": " +
                             error.what());
  }
  reporter_.message("resumed at step " + std::to_string(steps_));
}

void TrainingRun::restore(size_t number, const ResumePoint& point, model::ParameterArrays values,
                          const checkpoint::TrainingState& state) {
  for (const auto& [name, array] : state.tensors) {
    if (name.starts_with(kWeightPrefix)) values[name.substr(kWeightPrefix.size())] = array;
  }
  team_.restore(number, values, state.tensors);
  RunMember& member = members_[number];
  data_.training[number]->seek(point.cursor);
  steps_ = point.step;
  seconds_before_ = point.seconds;
  evaluated_at_ = point.evaluated_at;
  sampled_at_ = point.sampled_at;
  member.tokens = point.tokens;
  member.skipped = point.skipped;
  member.last = point.last;
  member.best = point.best;
  member.log = std::make_unique<MetricsLog>(member.folder.metrics(), member.folder.events(),
                                            point.metrics_bytes);
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

double TrainingRun::flops_per_second(int64_t steps, double step_seconds) const {
  if (step_seconds <= 0.0) return 0.0;
  const double flops = static_cast<double>(step_flops_) * static_cast<double>(members_.size());
  return flops * static_cast<double>(steps) / step_seconds;
}

std::optional<RunEnd> TrainingRun::ended() const {
  const auto reached = [&](const RunMember& member) {
    return member.last.loss <= config_.stop.target_loss;
  };
  if (config_.stop.target_loss > 0 && evaluated_at_ == steps_ &&
      std::all_of(members_.begin(), members_.end(), reached))
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
  std::vector<std::vector<TokenBatch>> batches(members_.size());
  for (size_t m = 0; m < members_.size(); ++m) {
    for (int64_t i = 0; i < config_.batch.accumulation; ++i)
      batches[m].push_back(members_[m].data().next());
  }
  const Clock::time_point begin = Clock::now();
  lr_ = schedule_.at(steps_, clock());
  const std::vector<TrainStep::Result> results = team_.run(batches, lr_);
  for (size_t i = 0; i < members_.size(); ++i) members_[i].count(results[i]);
  ++steps_;
  step_seconds_ += seconds_between(begin, Clock::now());
  if (steps_ % config_.log_interval == 0) flush_log();
}

void TrainingRun::flush_log() {
  const Clock::time_point begin = Clock::now();
  std::vector<RunMember::Interval> intervals;
  for (RunMember& member : members_) intervals.push_back(member.flush(steps_, reporter_));
  step_seconds_ += seconds_between(begin, Clock::now());  // a GPU finishes its steps here
  all_step_seconds_ += step_seconds_;
  const double flops = flops_per_second(steps_ - logged_at_, step_seconds_);
  const int64_t memory = peak_memory_bytes(team_.device());
  double nats = 0.0, rate = 0.0;
  int64_t scored = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    const RunMember::Interval& interval = intervals[i];
    if (interval.scored == 0) continue;
    const StepMetrics metrics{
        .step = steps_,
        .tokens = members_[i].tokens,
        .loss = interval.nats / static_cast<double>(interval.scored),
        .lr = lr_,
        .grad_norm = interval.grad_norm,
        .tokens_per_second = static_cast<double>(interval.all_scored) / step_seconds_,
        .flops_per_second = flops,
        .flops_utilisation = flops / peak_flops_,
        .memory_bytes = memory,
        .seconds = seconds()};
    members_[i].log->write(metrics);
    nats += interval.nats;
    scored += interval.scored;
    rate += metrics.tokens_per_second;
  }
  if (scored > 0)
    reporter_.progress({.step = steps_,
                        .fraction = fraction(),
                        .loss = nats / static_cast<double>(scored),
                        .tokens_per_second = rate,
                        .seconds = seconds()});
  step_seconds_ = 0.0;
  logged_at_ = steps_;
}

EvaluationMetrics TrainingRun::metrics_of(const RunMember& member,
                                          const Evaluation& evaluation) const {
  EvaluationMetrics metrics{.step = steps_,
                            .tokens = member.tokens,
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
  // The numbers are those of the weights as they are stored, not of the ones that go on training.
  const std::vector<Evaluation> evaluations = team_.evaluate(
      data_.evaluation, config_.precision, config_.checkpoint.storage == Storage::bf16);
  const bool first = evaluated_at_ < 0;
  evaluated_at_ = steps_;
  for (size_t i = 0; i < members_.size(); ++i) {
    RunMember& member = members_[i];
    if (member.enter(metrics_of(member, evaluations[i]), first, reporter_))
      checkpoint::save_checkpoint(member.folder.best(), member.checkpoint, team_.values(i),
                                  member.folder.tokenizer(), form_);
  }
}

void TrainingRun::save_last() {
  flush_log();
  // The weights of a checkpoint are those of its own member, and may be rounded.
  const bool one = members_.size() == 1, rounded = config_.checkpoint.storage != Storage::float32;
  checkpoint::TrainingState state;
  for (size_t i = 0; i < members_.size(); ++i) {
    members_[i].log->sync();
    model::ParameterArrays tensors = team_.state(i);
    if (rounded || !one) {
      const model::ParameterArrays values = team_.values(i);
      for (const model::ParameterSpec& spec : model::parameter_specs(config_.model)) {
        if (model::is_trained(spec, members_[i].checkpoint.trained))
          tensors[std::string(kWeightPrefix) + spec.name] = values.at(spec.name);
      }
    }
    enter_part(state.tensors, i, std::move(tensors));
    enter_part(state.notes, i, to_notes(here(i)));
  }
  for (size_t i = members_.size(); i-- > 0;) {
    RunMember& member = members_[i];
    checkpoint::save_checkpoint(
        member.folder.last(), member.checkpoint, team_.values(i), member.folder.tokenizer(), form_,
        i == 0 ? std::optional(std::move(state)) : std::optional<checkpoint::TrainingState>());
  }
}

void TrainingRun::sample() {
  for (size_t i = 0; i < members_.size(); ++i) {
    RunMember& member = members_[i];
    for (const Sample& sample : draw_samples(team_.model_of(i), *data_.tokenizer, data_.start,
                                             data_.end, member.config())) {
      member.log->write_sample(steps_, sample.prompt, sample.text);
      reporter_.message(member.prefix + "sample: " + sample.prompt + "|" + sample.text);
    }
  }
  sampled_at_ = steps_;
}

void TrainingRun::verify_frozen(size_t number) const {
  const RunMember& member = members_[number];
  if (member.frozen.empty()) return;
  const std::string now = checkpoint::frozen_hash(member.checkpoint, team_.values(number));
  if (now != member.frozen)
    throw std::runtime_error(member.prefix +
                             "a frozen tensor changed during training: its hash was " +
                             member.frozen + ", now it is " + now);
}

EvaluationMetrics TrainingRun::stored_best(const RunMember& member) const {
  const checkpoint::Checkpoint stored = checkpoint::load_checkpoint(member.folder.best());
  const auto model = model::make_language_model(stored.config.model, stored.parameters);
  model->to(team_.device(), at::kFloat);
  const Evaluation evaluation = evaluate(*model, data_.evaluation, kReportedPrecision);
  EvaluationMetrics metrics = member.best;
  metrics.loss = evaluation.loss;
  metrics.bits_per_byte = evaluation.bits_per_byte;
  return metrics;
}

std::vector<RunResult> TrainingRun::finish(RunEnd end) {
  const bool evaluates = evaluated_at_ != steps_;
  const bool samples = sampled_at_ != steps_ && end != RunEnd::interrupted;
  if (evaluates) evaluate_and_keep_best();
  for (size_t i = 0; i < members_.size(); ++i) verify_frozen(i);
  if (samples) sample();
  if (evaluates || samples) save_last();
  std::vector<RunResult> results;
  for (const RunMember& member : members_) {
    results.push_back(
        {.seed = member.seed(),
         .end = end,
         .steps = steps_,
         .tokens = member.tokens,
         .seconds = seconds(),
         .parameters = model::count_parameters(config_.model),
         .trained_parameters = model::count_trained(config_.model, member.checkpoint.trained),
         .precision = config_.precision == Precision::bf16 ? "bf16" : "float32",
         .step_flops = step_flops_,
         .flops_utilisation =
             flops_per_second(steps_ - first_step_, all_step_seconds_) / peak_flops_,
         .memory_bytes = peak_memory_bytes(team_.device()),
         .last = member.last,
         .best = stored_best(member),
         .frozen = member.frozen});
    reporter_.message(member.prefix + "best checkpoint as stored: " + to_text(results.back().best));
  }
  return results;
}

}  // namespace mesita::training
