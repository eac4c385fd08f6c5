// Messages to the service manager that started this process, such as systemd with Type=notify.
//
// The manager names a socket in $NOTIFY_SOCKET, and each message is one datagram to it, as
// sd_notify(3) describes. Without that variable nothing happens.
#pragma once

#include "allot/base/result.hpp"

namespace allot::cli {

/// The server takes requests, after a start or after `notify_reloading`.
Result<void> notify_ready();
/// The server reads its settings again; `notify_ready` must follow.
Result<void> notify_reloading();
/// The server stops.
Result<void> notify_stopping();

}  // namespace allot::cli
