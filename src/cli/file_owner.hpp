// Commands that root runs on the files of a service.
#pragma once

#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::cli {

/// Goes on as the owner of the file or folder, if this is root: the service could not use what root
/// creates. A refusal names the command to run as the owner.
Result<void> become_owner(const std::string& path, std::string_view command);

}  // namespace allot::cli
