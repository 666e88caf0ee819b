#pragma once

#include <exception>
#include <string>

namespace mesita::testing {

/// The message of the exception of type `Error` (or derived from it) that `action` throws; a text
/// that says so when it throws nothing. Other exceptions pass through.
template <typename Error = std::exception, typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

/// Whether `text` contains `part`: for messages.
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mesita::testing
