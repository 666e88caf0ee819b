#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace mesita::testing {

/// An answer, its body without chunk framing.
struct HttpAnswer {
  int status = 0;                              // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// A TCP connection to a port of this machine that sends whatever bytes a test wants.
class HttpClient {
 public:
  using Time = std::chrono::milliseconds;
  static constexpr Time kLong{20'000};  // an upper bound for tests that go wrong

  explicit HttpClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect to port " + std::to_string(port));
    }
  }
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// False when the peer takes no more.
  bool send(const std::string& bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += static_cast<size_t>(now);
    }
    return true;
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  /// Reads until the marker is there and returns all up to and with it; what there is when the peer
  /// ends first.
  std::string read_until(const std::string& marker, Time time = kLong) {
    size_t at = 0;
    while ((at = buffer_.find(marker)) == std::string::npos && fill(time)) {
    }
    return take(at == std::string::npos ? buffer_.size() : at + marker.size());
  }
  std::string read_to_end(Time time = kLong) {
    while (fill(time)) {
    }
    return take(buffer_.size());
  }
  /// Whether the peer ends the connection within the time; drops what it sends until then.
  bool ends(Time time = kLong) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      if (!fill(Time(50)) && ended_) return true;
      buffer_.clear();
    }
    return false;
  }

  /// Reads one answer. `head`: of a request that gets no body.
  enum class Body { present, none };
  HttpAnswer read_answer(Body body = Body::present, Time time = kLong) {
    HttpAnswer answer = parse_head(read_until("\r\n\r\n", time));
    if (answer.status == 100) return read_answer(body, time);
    if (answer.status == 0 || answer.status == 204 || body == Body::none) return answer;
    if (answer.header("transfer-encoding") == "chunked") {
      read_chunks(answer, time);
    } else if (answer.headers.contains("content-length")) {
      const size_t size = std::stoul(answer.header("content-length"));
      while (buffer_.size() < size && fill(time)) {
      }
      answer.body = take(std::min(size, buffer_.size()));
    } else {
      answer.body = read_to_end(time);
    }
    return answer;
  }

 private:
  bool fill(Time time) {
    pollfd poll_for{socket_, POLLIN, 0};
    if (::poll(&poll_for, 1, static_cast<int>(time.count())) <= 0) return false;
    char bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof(bytes), 0);
    ended_ = size <= 0;
    if (size > 0) buffer_.append(bytes, static_cast<size_t>(size));
    return size > 0;
  }
  std::string take(size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }
  void read_chunks(HttpAnswer& answer, Time time) {
    while (true) {
      const std::string line = read_until("\r\n", time);
      const size_t size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
      while (buffer_.size() < size + 2 && fill(time)) {
      }
      if (size == 0) {
        take(2);
        return;
      }
      answer.body += take(std::min(size, buffer_.size()));
      take(2);
    }
  }
  static HttpAnswer parse_head(const std::string& head) {
    HttpAnswer answer;
    if (!head.starts_with("HTTP/1.1 ")) return answer;
    answer.status = std::stoi(head.substr(9, 3));
    size_t at = head.find("\r\n") + 2;
    while (at < head.size()) {
      const size_t end = head.find("\r\n", at);
      const size_t colon = head.find(": ", at);
      if (end == at || end == std::string::npos) break;
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      answer.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return answer;
  }

  int socket_;
  std::string buffer_;
  bool ended_ = false;
};

/// A request with the usual headers; `more`: further header lines, each with its line end.
inline std::string http_request(const std::string& method, const std::string& path,
                                const std::string& body = "", const std::string& more = "") {
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more;
  if (method == "POST") {
    text +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + body;
}

inline HttpAnswer http_get(int port, const std::string& path, const std::string& more = "") {
  HttpClient client(port);
  client.send(http_request("GET", path, "", more));
  return client.read_answer();
}

inline HttpAnswer http_post(int port, const std::string& path, const std::string& body,
                            const std::string& more = "") {
  HttpClient client(port);
  client.send(http_request("POST", path, body, more));
  return client.read_answer();
}

}  // namespace mesita::testing
