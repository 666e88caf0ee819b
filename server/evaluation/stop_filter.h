#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesita::evaluation {

/// Cuts generated text at a stop string. The stop string that starts first in the text wins, even
/// when another one completes earlier; text that may still turn out to begin one is withheld.
class StopFilter {
 public:
  /// Empty stop strings are never found.
  explicit StopFilter(std::vector<std::string> stops);

  /// Adds text; returns what is now certain to stand before any stop string. Nothing after
  /// stopped().
  std::string push(std::string_view text);
  /// No more text will come: returns what was withheld, up to a stop string that is complete in it.
  std::string finish();
  /// Whether a stop string was found.
  bool stopped() const { return stopped_; }

 private:
  enum class Ending { open, final };
  std::string release(Ending ending);

  std::vector<std::string> stops_;
  std::string pending_;
  bool stopped_ = false;
};

}  // namespace mesita::evaluation
