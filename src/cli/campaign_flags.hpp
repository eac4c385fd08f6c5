// Options that the commands of `allot campaign` share, as written.
#pragma once

#include <optional>
#include <string>

namespace allot::cli {

struct CampaignFlags {
  std::string file;
  std::optional<std::string> campaign;  // the only one of the file
  std::optional<std::string> now;       // the clock's
};

/// How rows are printed, and where they go.
struct RowFlags {
  std::optional<std::string> format, output;
};

}  // namespace allot::cli
