#pragma once

#include <span>
#include <string_view>

namespace mesita::web {

/// A file of the page, embedded in the program.
struct Asset {
  std::string_view path;          // of the URL: "/", "/index.html", "/app.js", ...
  std::string_view content_type;  // with the charset where it is text
  std::string_view content;
};

/// All files of the page; they live as long as the program. The page asks for no other address but
/// the API's routes, runs no inline script or style and fits `default-src 'self'`.
std::span<const Asset> assets();

}  // namespace mesita::web
