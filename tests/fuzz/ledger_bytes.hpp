// Fuzz targets for bytes that come back from a store or from a token's bearer.
#pragma once

#include <string>
#include <string_view>

namespace allot::test {

/// The records of a ledger, each as a kind, two bytes for its length, and the payload.
void check_ledger_bytes(std::string_view bytes);
/// A snapshot: four bytes for the length of its state, the state, and the beliefs.
void check_snapshot_bytes(std::string_view bytes);
/// The snapshot of a ledger up to its first bad record, both as the targets above read them.
std::string snapshot_bytes(std::string_view ledger);
/// True if all of a snapshot is read.
bool can_be_loaded(std::string_view snapshot);
/// A token, as a header carries it.
void check_token_bytes(std::string_view bytes);

}  // namespace allot::test
