// One line of comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace allot::io {

/// The line with its line end; fields are quoted where needed.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace allot::io
