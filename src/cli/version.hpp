// The version of this build.
#pragma once

namespace allot::cli {

/// "0.1.0", or "0.1.0+git20261119.204201.513140d9" for a build from git after that release: time
/// of the commit in UTC, and its hash (cmake/version.cmake). The Debian package has the same.
const char* version();

}  // namespace allot::cli
