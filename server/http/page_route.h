#pragma once

#include <string_view>
#include <vector>

#include "server/http/http_message.h"

namespace mesita::http {

/// A file of the page; the views must outlive the server.
struct PageFile {
  std::string_view path;  // as in the URL, "/" for the index
  std::string_view content_type;
  std::string_view content;
};

/// GET of a page file. The page may load and ask nothing but what this server offers.
Response answer_page(const PageFile& file);

}  // namespace mesita::http
