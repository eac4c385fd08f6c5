#include "cli/service_manager.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::cli {
namespace {

Result<void> unreachable(std::string_view socket, int why) {
  return fail(
      ErrorCode::write_failure,
      "$NOTIFY_SOCKET {} cannot be written to ({}); expected the socket of a service manager",
      in_quotes(std::string(socket)), std::strerror(why));
}

Result<void> notify(std::string_view message) {
  const char* const variable = std::getenv("NOTIFY_SOCKET");
  if (variable == nullptr || *variable == '\0') return {};
  const std::string_view name = variable;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return unreachable(name, ENAMETOOLONG);
  if (name.front() != '/' && name.front() != '@') return unreachable(name, EAFNOSUPPORT);
  name.copy(address.sun_path, name.size());
  // An abstract name begins with a zero, and ends where the address ends.
  if (name.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return unreachable(name, errno);
  const ssize_t sent = ::sendto(socket, message.data(), message.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), size);
  const int why = errno;
  ::close(socket);
  if (sent != static_cast<ssize_t>(message.size())) return unreachable(name, why);
  return {};
}

}  // namespace

Result<void> notify_ready() { return notify("READY=1"); }

Result<void> notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                            std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

Result<void> notify_stopping() { return notify("STOPPING=1"); }

}  // namespace allot::cli
