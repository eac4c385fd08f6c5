// Reads a campaign's ledger for one webhook, page by page.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/hub.hpp"
#include "serve/webhook_events.hpp"

namespace allot::serve {

/// Position of a webhook in the ledger; kept from page to page.
struct LedgerCursor {
  MessageWriter writer;
  std::uint64_t at = 0;
  bool began = false;
};

/// One page read for a webhook.
struct LedgerPage {
  std::string webhook;
  std::shared_ptr<LedgerCursor> cursor;
  /// The webhook's cursor before and after the page.
  std::uint64_t from = 0, to = 0;
  /// The last event of the ledger.
  std::uint64_t last = 0;
  std::vector<Message> messages = {};
  bool ok = false;
};

/// Reads up to `most` events. Events before the webhook's cursor give no messages, but the writer
/// sees them.
Result<void> read_page(OpenCampaign& room, LedgerPage& page, std::size_t most);

}  // namespace allot::serve
