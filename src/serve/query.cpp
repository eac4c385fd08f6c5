#include "serve/query.hpp"

#include "base/try.hpp"

namespace allot::serve {

using store::Statement;

Query& Query::with(std::int64_t value) {
  if (statement_) (*statement_)->bind(++place_, value);
  return *this;
}

Query& Query::with(std::string_view text) {
  if (statement_) (*statement_)->bind(++place_, text);
  return *this;
}

Query& Query::with_blob(std::string_view bytes) {
  if (statement_) (*statement_)->bind_blob(++place_, bytes);
  return *this;
}

Query& Query::with(const std::optional<campaign::Time>& time) {
  if (time) return with(stored(*time));
  ++place_;  // a parameter that is not bound is NULL
  return *this;
}

Result<void> Query::run() {
  if (!statement_) return tl::unexpected(statement_.error());
  return (*statement_)->run();
}

Result<void> Query::each(const std::function<void(const Statement&)>& visit) {
  if (!statement_) return tl::unexpected(statement_.error());
  while (TRY((*statement_)->step())) visit(**statement_);
  return {};
}

Result<std::int64_t> Query::count() {
  std::int64_t value = 0;
  TRY(each([&](const Statement& row) { value = row.number(0); }));
  return value;
}

}  // namespace allot::serve
