#include "server/http/page_route.h"

namespace mesita::http {

Response answer_page(const PageFile& file) {
  Response response;
  response.content_type = file.content_type;
  response.body = file.content;
  response.headers = {{"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

}  // namespace mesita::http
