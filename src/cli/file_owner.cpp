#include "cli/file_owner.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "serve/data_folder.hpp"

namespace allot::cli {

Result<void> become_owner(const std::string& path, std::string_view command) {
  using Stat = struct stat;
  Stat found = {};
  if (::geteuid() != 0 || ::stat(path.c_str(), &found) != 0 || found.st_uid == 0) return {};
  if (::setgroups(0, nullptr) == 0 && ::setgid(found.st_gid) == 0 && ::setuid(found.st_uid) == 0) {
    return {};
  }
  const int reason = errno;
  const std::string owner = serve::user_name(found.st_uid);
  return fail(ErrorCode::write_failure,
              "{} belongs to user {}, and root cannot act for them ({}); expected the command as "
              "that user: runuser -u {} -- {}",
              in_quotes(path), in_quotes(owner), std::generic_category().message(reason), owner,
              command);
}

}  // namespace allot::cli
