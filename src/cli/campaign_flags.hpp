// Options that the commands of `allot campaign` share, as written.
#pragma once

#include <optional>
#include <string>

namespace allot::cli {

struct CampaignFlags {
  std::string file;
  std::optional<std::string> campaign;  // else the only one of the file
  std::optional<std::string> now;       // else the time of the clock
};

/// Format and destination of rows.
struct RowFlags {
  std::string format = "table";
  std::optional<std::string> output;
};

}  // namespace allot::cli
