#include "fuzz/ledger_bytes.hpp"

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>

#include "allot/base/bytes.hpp"
#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"
#include "campaign/core.hpp"
#include "fuzz/demand.hpp"
#include "fuzz/pieces.hpp"
#include "serve/server_file.hpp"
#include "serve/vault.hpp"

namespace allot::test {
namespace {

store::Record next_record(std::string_view& bytes, std::uint64_t sequence) {
  store::Record record;
  record.sequence = sequence;
  record.time = 1'772'366'400'000'000 + static_cast<std::int64_t>(sequence) * 1'000'000;
  record.kind = static_cast<std::uint8_t>(take_number(bytes, 1));
  const std::size_t length = take_number(bytes, 2);
  record.payload = take_bytes(bytes, length);
  return record;
}

std::uint32_t check_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The version of snapshots that this program writes.
std::uint64_t snapshot_version() {
  campaign::Core core;
  campaign::Created created;
  created.options.classes = {"no", "yes"};
  created.options.budget = parse_money("10").value();
  demand(core.apply(campaign::Event(created), campaign::Time()).has_value(), "a campaign begins");
  const store::Snapshot snapshot = core.snapshot();
  return ByteReader(snapshot.parts[0]).number();
}

}  // namespace

void check_ledger_bytes(std::string_view bytes) {
  campaign::Core core;
  for (std::uint64_t sequence = 1; !bytes.empty(); ++sequence) {
    const store::Record record = next_record(bytes, sequence);
    const auto event = campaign::decode(record.kind, record.payload);
    if (!event) return;
    // Compared as bytes: a number that is none differs from itself.
    const std::string written = campaign::encode(*event);
    const auto again = campaign::decode(record.kind, written);
    demand(again && campaign::encode(*again) == written, "an event is read as it is written");
    if (!core.apply(record)) return;
    demand(core.state().sequence() == sequence, "an event counts once");
  }
  if (core.state().sequence() == 0) return;
  campaign::Core loaded;
  demand(loaded.load(core.snapshot()), "a snapshot can be loaded");
  demand(loaded.state().item_count() == core.state().item_count(), "a snapshot has all items");
}

std::string snapshot_bytes(std::string_view ledger) {
  campaign::Core core;
  for (std::uint64_t sequence = 1; !ledger.empty(); ++sequence)
    if (!core.apply(next_record(ledger, sequence))) break;
  const store::Snapshot snapshot = core.snapshot();
  const std::string &state = snapshot.parts[1], &beliefs = snapshot.parts[2];
  std::string bytes;
  for (std::size_t n = 0; n < 4; ++n) bytes += static_cast<char>(state.size() >> (8 * n) & 0xff);
  return bytes + state + beliefs;
}

bool can_be_loaded(std::string_view bytes) {
  static const std::uint64_t version = snapshot_version();
  const std::size_t length = take_number(bytes, 4);
  const std::string state(take_bytes(bytes, length)), beliefs(bytes);
  ByteReader reader(state);
  campaign::State alone;
  if (!alone.load(reader)) return false;
  ByteWriter head;
  head.number(version);
  head.number(check_of(state));
  head.number(check_of(beliefs));
  campaign::Core core;
  return core.load({alone.sequence(), {std::move(head).take(), state, beliefs}});
}

void check_snapshot_bytes(std::string_view bytes) { static_cast<void>(can_be_loaded(bytes)); }

void check_token_bytes(std::string_view bytes) {
  struct Known {
    std::unique_ptr<serve::Vault> vault;
    std::string text;
  };
  static const Known known = [] {
    auto vault = serve::Vault::open(serve::open_server_file(":memory:").value()).value();
    auto token = vault->issue({.role = serve::Role::admin}, campaign::Time()).value();
    return Known{std::move(vault), token.text};
  }();
  const auto found = known.vault->find(bytes);
  demand(found.has_value() == (bytes == known.text), "only the token itself is found");
  // A part of the right token, with these bytes behind it, is none.
  const std::string longer = known.text.substr(0, known.text.size() / 2) + std::string(bytes);
  demand(known.vault->find(longer).has_value() == (longer == known.text), "half a token is none");
}

}  // namespace allot::test
