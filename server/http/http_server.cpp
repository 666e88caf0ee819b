#include "server/http/http_server.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "server/http/chunked_body.h"
#include "server/http/event_stream.h"
#include "server/http/fresh_id.h"
#include "server/http/listener.h"
#include "server/http/thread_pool.h"

namespace mesita::http {

namespace {

/// One request and its answer, for the thread that has them.
struct Exchange {
  Connection& connection;
  std::string id;
  RequestHead head;
  std::optional<Response> refusal;  // decided without the body
  bool answered = false;            // by the application, not by the library
  bool close = false;               // the connection ends with this answer
};

// The library hands its handlers nothing of ours, and a request stays on one thread.
thread_local Exchange* current = nullptr;

/// Our connection as the library's stream.
class LibraryStream final : public httplib::Stream {
 public:
  explicit LibraryStream(Connection& connection) : connection_(connection) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, size_t size) override { return connection_.read(data, size); }
  ssize_t write(const char* data, size_t size) override { return connection_.write(data, size); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }

 private:
  Connection& connection_;
};

/// The head that the library gets: method, framing, nothing else.
std::string library_head(const Exchange& exchange) {
  const RequestHead& head = exchange.head;
  if (exchange.refusal || head.framing == Framing::none) {
    return head.method == "HEAD" ? "HEAD / HTTP/1.1\r\n\r\n" : "GET / HTTP/1.1\r\n\r\n";
  }
  return "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(head.content_length) + "\r\n\r\n";
}

/// Reads a chunked body, of which the head then tells the length like that of any other.
std::string take_chunks(Exchange& exchange, uint64_t max_body) {
  Connection& connection = exchange.connection;
  connection.begin_body("");
  const auto read = [&](char* data, size_t size) {
    const ssize_t got = connection.read(data, size);
    if (connection.late()) {
      throw ApiError(408, "invalid_request_error", "the body did not arrive in time");
    }
    return got;
  };
  std::string body = read_chunked_body(read, max_body);
  exchange.head.framing = body.empty() ? Framing::none : Framing::length;
  exchange.head.content_length = body.size();
  return body;
}

/// Sends what a source produces. Nothing is thrown into the library, which would not survive it.
bool send_next(EventSource& source, Connection& connection, httplib::DataSink& sink,
               std::chrono::steady_clock::time_point& last_sent, std::chrono::milliseconds ping) {
  try {
    std::string bytes;
    bool more = false;
    try {
      more = source.next(bytes);
    } catch (const ApiError& error) {
      bytes = event(error.body());
    } catch (const std::exception& error) {
      spdlog::error("a stream failed: {}", error.what());
      bytes = event(server_error("internal error; the server's log says more").body());
    }
    const auto now = std::chrono::steady_clock::now();
    if (bytes.empty() && more && now - last_sent >= ping) bytes = kPingEvent;
    if (connection.peer_gone()) return false;
    if (!bytes.empty()) {
      last_sent = now;
      if (!sink.write(bytes.data(), bytes.size())) return false;
    }
    if (!more) sink.done();
    return true;
  } catch (const std::exception& error) {
    spdlog::error("a stream broke: {}", error.what());
    return false;
  }
}

}  // namespace

class HttpServer::Transport final : public httplib::Server {
 public:
  Transport(const ServerOptions& options, Application& application)
      : options_(options),
        application_(application),
        listener_(options.host, options.port),
        pool_(options.max_connections, options.max_waiting) {
    svr_sock_ = listener_.socket();  // the library sends streams only while this is a socket
    set_payload_max_length(options.limits.max_body);
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      handle(request, response);
    };
    Get("/", handler);
    Post("/", handler);
    set_exception_handler([](const httplib::Request&, httplib::Response& response,
                             std::exception_ptr) { response.status = 500; });
    set_error_handler([this](const httplib::Request&, httplib::Response& response) {
      if (!current->answered) fail(response);
    });
    set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.status == 204) response.headers.erase("Content-Length");
      if (!current->close) return;
      response.headers.erase("Keep-Alive");
      response.headers.erase("Connection");
      response.set_header("Connection", "close");
    });
  }

  ~Transport() override { shut(); }

  int port() const { return listener_.port(); }

  void start() {
    thread_ = std::thread([this] {
      while (const auto socket = listener_.accept()) {
        if (!pool_.enqueue([this, socket = *socket] { serve(socket); })) ::close(*socket);
      }
    });
  }

  void shut() {
    std::call_once(shut_, [this] {
      stopping_ = true;
      listener_.close();
      if (thread_.joinable()) thread_.join();
      pool_.shutdown();
    });
  }

 private:
  Pressure pressure() const {
    if (stopping_) return Pressure::stopping;
    return pool_.waiting() > 0 ? Pressure::waiting : Pressure::none;
  }

  void serve(int socket) {
    try {
      Connection connection(socket, options_.timeouts, [this] { return pressure(); });
      size_t left = options_.requests_per_connection;
      while (connection.wait_for_request()) {
        if (serve_request(connection, --left == 0)) continue;
        connection.linger();
        break;
      }
    } catch (const std::exception& error) {
      spdlog::error("a connection broke: {}", error.what());
    }
    ::close(socket);
  }

  /// Answers one request; false when the connection must end.
  bool serve_request(Connection& connection, bool last) {
    Exchange exchange{.connection = connection,
                      .id = fresh_id("req-"),
                      .head = {},
                      .refusal = {},
                      .answered = false,
                      .close = last};
    bool sound = false;  // the head: where the request ends is known
    std::string chunks;
    try {
      const auto head = connection.read_head(options_.limits.max_head);
      if (!head) return false;
      parse_head(*head, options_.limits, exchange.head);
      sound = true;
      exchange.close = last || !exchange.head.keep_alive;
      application_.admit(exchange.head);
      if (exchange.head.expects_continue) {
        constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
        connection.write(kContinue.data(), kContinue.size());
      }
      if (exchange.head.framing == Framing::chunked) {
        chunks = take_chunks(exchange, options_.limits.max_body);
      }
    } catch (const ApiError& error) {
      exchange.refusal = error_response(error);
      // The body of a refused request is not read, and must not be taken for the next request.
      if (!sound || exchange.head.framing != Framing::none) exchange.close = true;
    }
    connection.begin_body(library_head(exchange) + chunks);
    current = &exchange;
    LibraryStream stream(connection);
    bool ignored = false;
    const bool sent = process_request(stream, "", 0, "", 0, exchange.close, ignored, nullptr);
    current = nullptr;
    return sent && !exchange.close && !stopping_;
  }

  void handle(const httplib::Request& library_request, httplib::Response& response) {
    Exchange& exchange = *current;
    if (exchange.refusal) {
      write(*exchange.refusal, response);
      exchange.answered = true;
      return;
    }
    Request request;
    request.method = exchange.head.method == "HEAD" ? "GET" : exchange.head.method;
    request.path = exchange.head.path;
    request.body = library_request.body;
    request.id = exchange.id;
    request.client_gone = [&connection = exchange.connection] { return connection.peer_gone(); };
    write(application_.answer(exchange.head, std::move(request)), response);
    exchange.answered = true;
  }

  /// Answers for the library, which could not read the body.
  void fail(httplib::Response& response) {
    Exchange& exchange = *current;
    exchange.close = true;
    int status = response.status;
    std::string message = "the body could not be read: it is malformed or incomplete";
    if (status == 413) {
      message = "the body is longer than " + std::to_string(options_.limits.max_body) + " bytes";
    } else if (exchange.connection.late()) {
      status = 408;
      message = "the body did not arrive in time";
    } else if (status >= 500) {
      message = "internal error";
    }
    const auto type = status >= 500 ? "server_error" : "invalid_request_error";
    write(error_response(ApiError(status, type, message)), response);
  }

  void write(const Response& answer, httplib::Response& response) {
    const Exchange& exchange = *current;
    response.status = answer.status;
    response.headers.clear();
    for (const auto& [name, value] : answer.headers) response.set_header(name, value);
    for (const auto& [name, value] : application_.common_headers(exchange.head)) {
      response.set_header(name, value);
    }
    response.set_header("x-request-id", exchange.id);
    if (!answer.stream) {
      if (!answer.content_type.empty()) response.set_content(answer.body, answer.content_type);
      return;
    }
    const auto provider = [source = answer.stream, &connection = exchange.connection,
                           last_sent = std::chrono::steady_clock::now(),
                           ping = options_.ping](size_t, httplib::DataSink& sink) mutable {
      return send_next(*source, connection, sink, last_sent, ping);
    };
    if (exchange.head.http_1_0) {  // knows no chunks: the end of the connection ends the body
      current->close = true;
      response.set_content_provider(answer.content_type, provider);
    } else {
      response.set_chunked_content_provider(answer.content_type, provider);
    }
  }

  const ServerOptions options_;
  Application& application_;
  Listener listener_;
  ThreadPool pool_;
  std::atomic<bool> stopping_{false};
  std::once_flag shut_;
  std::thread thread_;
};

HttpServer::HttpServer(const ServerOptions& options, Application& application)
    : transport_(std::make_unique<Transport>(options, application)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return transport_->port();
}

void HttpServer::start() {
  transport_->start();
}

void HttpServer::stop() {
  transport_->shut();
}

}  // namespace mesita::http
