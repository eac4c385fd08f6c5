#include "serve/server_tables.hpp"

namespace allot::serve {

std::string statement_for(std::string_view sql, std::string_view prefix, char parameter) {
  constexpr std::string_view kSchema = "server.";
  std::string statement;
  for (std::size_t at = 0; at < sql.size();) {
    if (sql.substr(at).starts_with(kSchema)) {
      statement += prefix;
      at += kSchema.size();
    } else {
      statement += sql[at] == '?' ? parameter : sql[at];
      ++at;
    }
  }
  return statement;
}

}  // namespace allot::serve
