#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/config.h"
#include "model/parameters.h"
#include "model/sequence_state.h"

namespace mesita::model {

/// A model of token sequences, with the two ways through it that design.md describes. Created by
/// make_language_model; the caller never knows which architecture it holds.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  virtual const ModelConfig& config() const = 0;

  // --- training: LibTorch tensors, autograd ---

  /// Hidden vectors after the final norm. ids: int64 [batch, time] -> [batch, time, width].
  /// `starts`, int64 [batch, time]: where in its row a position's document begins; nothing crosses
  /// from one document to the next. Undefined: one document per row.
  virtual at::Tensor hidden(const at::Tensor& ids, const at::Tensor& starts) = 0;
  /// How many models this is. make_members makes several of one shape that go through training
  /// together: every parameter has a leading dimension for them, and a batch is those of the
  /// members one after another, [members x rows, time].
  int64_t members() const;
  /// The unembedding, [vocabulary, width]; logits = hidden . unembedding^T. With several members
  /// [members, vocabulary, width].
  virtual at::Tensor unembedding() const = 0;
  /// Logits, [batch, time, vocabulary]; of a single model.
  at::Tensor forward(const at::Tensor& ids);

  /// Parameters in parameter_specs order: name, tensor.
  virtual std::vector<std::pair<std::string, at::Tensor>> named_parameters() const = 0;
  /// Moves parameters and buffers to a device / to float64 or float32.
  virtual void to(at::Device device, at::ScalarType type) = 0;

  // --- inference: float32 rows on the CPU, batch-invariant, no autograd ---

  /// Copies the present weights into the layout that advance() and logits() read. Call once before
  /// inference and again after weights changed.
  virtual void prepare_inference() = 0;
  /// State of an empty sequence.
  virtual SequenceState new_sequence() const = 0;
  /// Appends tokens to sequences. Segments partition the rows in order; ids[r] is the token of row
  /// r. Writes hidden vectors after the final norm to `hidden` [rows, width] and moves each
  /// sequence's length and state forward. A row's result depends on its own sequence alone: same
  /// bits for any batch, segmentation and thread count. Const and usable from one thread at a time
  /// per set of sequences. Throws std::invalid_argument for an id outside the vocabulary or a
  /// position outside the context; sequences are then unchanged.
  virtual void advance(std::span<const RowSegment> segments, std::span<const int32_t> ids,
                       std::span<float> hidden) const = 0;
  /// hidden [rows, width] -> logits [rows, vocabulary], each row by itself.
  virtual void logits(std::span<const float> hidden, std::span<float> logits) const = 0;
};

/// Builds a model with the given values (all tensors of parameter_specs, float32). Throws
/// std::invalid_argument when a tensor is missing or has another shape.
std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config,
                                                   const ParameterArrays& values);

/// Builds a model of values.size() members; of one it is make_language_model's.
std::unique_ptr<LanguageModel> make_members(const ModelConfig& config,
                                            std::span<const ParameterArrays> values);

/// A parameter of one member: the tensor itself where there is only one, else a view of its part.
at::Tensor of_member(const LanguageModel& model, const at::Tensor& parameter, int64_t member);

/// Replaces the values of a member. Throws as make_language_model.
void assign_parameters(LanguageModel& model, const ParameterArrays& values, int64_t member = 0);

/// A tensor as a float32 array, and the way back: into a tensor of the same shape, whatever its
/// device and type. Throws std::invalid_argument for another shape or number of values.
ParameterArray to_array(const at::Tensor& tensor);
void assign(const ParameterArray& array, const at::Tensor& tensor);

/// The present values of a member as float32 arrays.
ParameterArrays parameter_arrays(const LanguageModel& model, int64_t member = 0);

}  // namespace mesita::model
