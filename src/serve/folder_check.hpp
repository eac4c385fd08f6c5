// The state of a data folder, file by file, and what an upgrade would do to it.
//
// Nothing is changed, and a server can run meanwhile. Cost: every record is read once, about 1 us
// each, and the fields of every item, about 2 us each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::serve {

struct FileCheck {
  /// Path within the folder.
  std::string file = {};
  /// Format of the file, and the one that this program writes.
  std::int64_t format = 0, newest = 0;
  std::uint64_t bytes = 0;
  /// For a campaign: its name and its records, all of which were read.
  std::string campaign = {};
  std::uint64_t records = 0;
  /// Why the file cannot be used; empty if it can.
  std::string problem = {};

  bool is_older() const { return problem.empty() && format < newest; }
};

struct FolderCheck {
  /// server.db first, then the campaigns of its list, then others, each in the order of their ids.
  std::vector<FileCheck> files = {};
  /// Whether a server works on the folder.
  bool in_use = false;

  std::size_t problems() const;
  std::size_t older() const;
};

/// Refuses a folder without server.db.
Result<FolderCheck> check_folder(const std::string& folder);

}  // namespace allot::serve
