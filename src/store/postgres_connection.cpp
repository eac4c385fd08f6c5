#include "store/postgres_connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::store {
namespace {

using Kind = PostgresFailure::Kind;

constexpr std::string_view kReadOnly = "25006", kSerialization = "40001", kDeadlock = "40P01";

/// libpq ends messages with a line break, and has one line per host that it tried.
std::string one_line(std::string_view message) {
  std::string line;
  for (const char c : message) {
    if (c == '\n') {
      line += "; ";
    } else if (c != '\t') {
      line += c;
    }
  }
  while (line.ends_with("; ")) line.resize(line.size() - 2);
  return line;
}

/// True if the socket is ready before the deadline.
bool wait_for(pg_conn* connection, short events, Deadline deadline) {
  using std::chrono::milliseconds;
  const auto left =
      std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  pollfd socket{PQsocket(connection), events, 0};
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT32_MAX));
  const int ready = poll(&socket, 1, timeout);
  return ready > 0 || (ready < 0 && errno == EINTR);
}

std::string field(const pg_result* result, int code) {
  const char* const text = PQresultErrorField(result, code);
  return text ? text : "";
}

/// Whether the address has at most one "@", before its path: otherwise a part of the password would
/// be taken for the host or the database, and shown.
bool has_clear_password(std::string_view location) {
  const std::size_t scheme = location.find("://");
  if (scheme == std::string_view::npos) return true;
  const std::string_view address = location.substr(scheme + 3);
  const std::size_t end = std::min(address.find_first_of("/?"), address.size());
  const auto ats = std::ranges::count(address.substr(0, end), '@');
  const std::string_view rest = address.substr(end);
  if (ats == 0 && address.substr(0, end).find(':') != address.npos)
    return rest.find('@') == rest.npos;
  return ats <= 1 && rest.substr(0, rest.find('?')).find('@') == rest.npos;
}

}  // namespace

bool PostgresFailure::is_passing() const {
  return kind != Kind::refused || state == kReadOnly || state == kSerialization ||
         state == kDeadlock;
}

Result<std::string> shown_database(const std::string& location) {
  const auto refuse = [](std::string_view problem) {
    return invalid(
        "the location of the database makes no sense{}; expected one such as "
        "postgresql://user@host/database, with any @ / ? % of a password written as %40 %2F %3F "
        "%25",
        problem);
  };
  if (!has_clear_password(location)) return refuse("");
  char* problem = nullptr;
  PQconninfoOption* const options = PQconninfoParse(location.c_str(), &problem);
  if (!options) {
    const std::string message = ": " + one_line(problem ? problem : "out of memory");
    PQfreemem(problem);
    // The message quotes the location, so it could show a password.
    const bool has_secret =
        location.find('@') != location.npos || location.find("password") != location.npos;
    return refuse(has_secret ? "" : message);
  }
  std::string user, host, port, database;
  for (const PQconninfoOption* option = options; option->keyword; ++option) {
    if (!option->val) continue;
    const std::string_view name = option->keyword;
    if (name == "user") user = fmt::format("{}@", option->val);
    if (name == "host") host = option->val;
    if (name == "port") port = fmt::format(":{}", option->val);
    if (name == "dbname") database = option->val;
  }
  PQconninfoFree(options);
  if (!host.starts_with('/'))
    return fmt::format("postgresql://{}{}{}/{}", user, host, port, database);
  return fmt::format("postgresql://{}/{}?host={}", user, database, host);
}

std::vector<PostgresHost> hosts_of(const std::string& location) {
  std::string hosts, ports;
  PQconninfoOption* const options = PQconninfoParse(location.c_str(), nullptr);
  bool by_address = false;
  for (const PQconninfoOption* option = options; option && option->keyword; ++option) {
    if (!option->val) continue;
    const std::string_view name = option->keyword;
    if (name == "host") hosts = option->val;
    if (name == "port") ports = option->val;
    by_address |= name == "hostaddr";
  }
  PQconninfoFree(options);
  const auto each_host = split(hosts, ','), each_port = split(ports, ',');
  if (each_host.size() < 2 || by_address) return {PostgresHost()};
  std::vector<PostgresHost> all;
  for (std::size_t n = 0; n < each_host.size(); ++n) {
    const auto port = each_port.size() == each_host.size() ? each_port[n] : each_port.front();
    all.push_back({std::string(each_host[n]), std::string(port)});
  }
  return all;
}

void PostgresConnection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

PostgresConnection::PostgresConnection(pg_conn* connection) : connection_(connection) {}

PostgresResult<std::unique_ptr<PostgresConnection>> PostgresConnection::open(
    const std::string& location, OpenMode mode, const PostgresHost& host) {
  // What comes after the location cannot be changed by it; what comes before can.
  const char* const names[] = {"connect_timeout",
                               "tcp_user_timeout",
                               "keepalives_idle",
                               "keepalives_interval",
                               "keepalives_count",
                               "target_session_attrs",
                               "fallback_application_name",
                               "dbname",
                               "client_encoding",
                               host.host.empty() ? nullptr : "host",
                               "port",
                               nullptr};
  const char* const values[] = {"3",
                                "5000",
                                "5",
                                "2",
                                "3",
                                mode == OpenMode::read ? "any" : "read-write",
                                "allot",
                                location.c_str(),
                                "UTF8",
                                host.host.c_str(),
                                host.port.c_str(),
                                nullptr};
  std::unique_ptr<PostgresConnection> made(
      new PostgresConnection(PQconnectdbParams(names, values, 1)));
  pg_conn* const connection = made->connection_.get();
  if (PQstatus(connection) != CONNECTION_OK) {
    return tl::unexpected(PostgresFailure{Kind::unreachable, one_line(PQerrorMessage(connection))});
  }
  PQsetnonblocking(connection, 1);
  PQsetNoticeReceiver(
      connection,
      [](void* self, const pg_result* notice) {
        if (field(notice, PG_DIAG_SEVERITY_NONLOCALIZED) == "WARNING") {
          static_cast<PostgresConnection*>(self)->warned_ = true;
        }
      },
      made.get());
  return made;
}

PostgresResult<PostgresRows> PostgresConnection::run_with(Deadline deadline, const char* sql,
                                                          std::span<const PostgresValue> values) {
  return stream(deadline, sql, values, nullptr);
}

PostgresResult<PostgresRows> PostgresConnection::stream(Deadline deadline, const char* sql,
                                                        std::span<const PostgresValue> values,
                                                        const Visit& visit) {
  std::vector<Oid> types;
  std::vector<const char*> bytes;
  std::vector<int> lengths;
  const std::vector<int> formats(values.size(), 1);
  for (const PostgresValue& value : values) {
    types.push_back(value.type);
    bytes.push_back(value.is_null ? nullptr : value.bytes.data());
    lengths.push_back(static_cast<int>(value.bytes.size()));
  }
  const bool sent =
      PQsendQueryParams(connection_.get(), sql, static_cast<int>(values.size()), types.data(),
                        bytes.data(), lengths.data(), formats.data(), 1) == 1;
  if (sent && visit) PQsetSingleRowMode(connection_.get());
  return finish(deadline, sent, visit);
}

PostgresResult<PostgresRows> PostgresConnection::script(Deadline deadline, const char* sql) {
  return finish(deadline, PQsendQuery(connection_.get(), sql) == 1, nullptr);
}

PostgresResult<PostgresRows> PostgresConnection::finish(Deadline deadline, bool sent,
                                                        const Visit& visit) {
  warned_ = late_ = false;
  if (!sent || !flush(deadline)) return tl::unexpected(lost());
  PostgresRows rows(nullptr);
  std::optional<PostgresFailure> failure;
  while (receive(deadline)) {
    pg_result* const result = PQgetResult(connection_.get());
    if (!result) break;
    PostgresRows some(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_SINGLE_TUPLE) {
      visit(some);
    } else if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      rows = std::move(some);
    } else if (!failure) {
      failure = failure_of(result);
    }
  }
  if (failure) {
    given_up_ |= failure->is_passing();
    return tl::unexpected(*std::move(failure));
  }
  if (late_ || PQstatus(connection_.get()) != CONNECTION_OK) return tl::unexpected(lost());
  return rows;
}

/// Sends everything; reads meanwhile, since a server that cannot write stops reading.
bool PostgresConnection::flush(Deadline deadline) {
  while (true) {
    const int left = PQflush(connection_.get());
    if (left <= 0) return left == 0;
    late_ = !wait_for(connection_.get(), POLLIN | POLLOUT, deadline);
    if (late_ || PQconsumeInput(connection_.get()) == 0) return false;
  }
}

/// Waits until PQgetResult has something to say.
bool PostgresConnection::receive(Deadline deadline) {
  while (PQisBusy(connection_.get()) != 0) {
    late_ = !wait_for(connection_.get(), POLLIN, deadline);
    if (late_) return false;
    if (PQconsumeInput(connection_.get()) == 0) return true;  // the error is the next result
  }
  return true;
}

PostgresFailure PostgresConnection::lost() {
  given_up_ = true;
  const std::string message = one_line(PQerrorMessage(connection_.get()));
  return {Kind::lost, late_ ? "the database did not answer in time" : message};
}

PostgresFailure PostgresConnection::failure_of(const pg_result* result) {
  PostgresFailure failure{Kind::refused, field(result, PG_DIAG_MESSAGE_PRIMARY),
                          field(result, PG_DIAG_SQLSTATE), field(result, PG_DIAG_CONSTRAINT_NAME)};
  if (failure.message.empty()) failure.message = one_line(PQresultErrorMessage(result));
  // A server that shuts down, or a backend that is terminated, says so and is gone. What it was
  // doing may have been committed before.
  const bool gone = failure.state.empty() || failure.state.starts_with("57P") ||
                    failure.state.starts_with("08") || PQstatus(connection_.get()) != CONNECTION_OK;
  if (gone) failure.kind = Kind::lost;
  return failure;
}

bool PostgresConnection::is_usable() const {
  return !given_up_ && PQstatus(connection_.get()) == CONNECTION_OK &&
         PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
}

}  // namespace allot::store
