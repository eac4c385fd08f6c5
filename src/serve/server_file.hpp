// The file server.db, whose tables vault, webhook store and accuracy store share.
#pragma once

#include "store/sqlite.hpp"

namespace allot::serve {

/// Brings the file up to date. Refuses a file that is not a server's or has a newer format.
Result<void> prepare_server_file(store::Connection& file);

}  // namespace allot::serve
