#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mesita::model {

/// What a layer uses to exchange information between positions.
enum class MixerKind { softmax };

/// How a model knows where a token stands.
enum class PositionKind {
  learned,  // a trained vector per absolute position, added to the token embedding
  rotary,   // queries and keys are rotated (Su et al. 2021); nothing is added
  none,     // order is known from the causal mask alone
};

/// Sizes and choices that determine a language model's computation (GPT-2's shape: pre-LayerNorm
/// blocks, biases, tanh GELU, final LayerNorm, unembedding without bias).
struct ModelConfig {
  int64_t vocabulary = 2048;             // number of token ids
  int64_t context = 256;                 // longest sequence, in tokens
  int64_t width = 256;                   // residual stream
  int64_t layers = 4;                    // blocks
  int64_t heads = 4;                     // divides width
  int64_t feed_forward = 1024;           // hidden width of the MLP
  MixerKind mixer = MixerKind::softmax;  // of every block
  PositionKind position = PositionKind::learned;
  double rotary_base = 10000.0;   // only for PositionKind::rotary
  double norm_epsilon = 1e-5;     // of every LayerNorm
  bool tied_unembedding = false;  // the unembedding is the token embedding

  int64_t head_width() const { return width / heads; }
  bool operator==(const ModelConfig&) const = default;
};

/// Throws std::invalid_argument naming the field when sizes are impossible (not positive, width not
/// divisible by heads, odd head width with rotary positions, more than 2^31 elements in a tensor).
void validate(const ModelConfig& config);

/// Names as in config.json: "softmax"; "learned", "rotary", "none". The parsers throw
/// std::invalid_argument that lists the known names.
std::string_view name_of(MixerKind kind);
std::string_view name_of(PositionKind kind);
MixerKind mixer_kind(std::string_view name);
PositionKind position_kind(std::string_view name);

}  // namespace mesita::model
