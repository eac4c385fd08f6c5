// The schema of a SQLite file as a list of migrations.
//
// A file names the program it belongs to (PRAGMA application_id) and its format (PRAGMA
// user_version): the number of migrations it has been through. Migrations are never edited, only
// added at the end, so files of every earlier version can be brought up to date.
#pragma once

#include <cstdint>
#include <span>

#include "store/sqlite.hpp"

namespace allot::store {

struct Schema {
  std::int64_t application;
  /// migrations[n] is SQL that turns format n into format n + 1.
  std::span<const char* const> migrations;

  std::int64_t format() const { return static_cast<std::int64_t>(migrations.size()); }
};

/// Runs the migrations the file lacks, in one transaction. The caller has checked that the file
/// belongs to the application and has no newer format.
Result<void> migrate(Connection& file, const Schema& schema);

}  // namespace allot::store
