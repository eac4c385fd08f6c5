#include "store/schema.hpp"

#include <fmt/format.h>

#include "base/try.hpp"

namespace allot::store {

Result<void> migrate(Connection& file, const Schema& schema) {
  if (TRY(file.number("PRAGMA user_version")) == schema.format()) return {};
  auto transaction = TRY(Transaction::begin(file));
  // Read again: another process may have migrated the file while this one waited.
  const auto format = static_cast<std::size_t>(TRY(file.number("PRAGMA user_version")));
  for (std::size_t n = format; n < schema.migrations.size(); ++n) {
    TRY(file.execute(schema.migrations[n]));
  }
  TRY(file.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               schema.application, schema.format())));
  return transaction.commit();
}

}  // namespace allot::store
