#include "demo/messages.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/table_reader.hpp"

namespace allot::demo {
namespace {

constexpr std::string_view kFile =
#include "demo/messages.inc"
    ;

Reading reading_of(std::string_view text) {
  if (text == "clear") return Reading::clear;
  return text == "tricky" ? Reading::tricky : Reading::open;
}

std::vector<Message> read() {
  auto rows = io::TableReader::open(
      kFile,
      {{"id", {{"id"}}}, {"truth", {{"truth"}}}, {"reading", {{"reading"}}}, {"text", {{"text"}}}});
  if (!rows) throw std::runtime_error("the demo's messages: " + rows.error().message);
  std::vector<Message> all;
  for (;;) {
    const auto more = rows->next();
    if (!more) throw std::runtime_error("the demo's messages: " + more.error().message);
    if (!*more) return all;
    all.push_back({std::string(rows->field(0)), std::string(rows->field(3)),
                   rows->field(1) == kClasses[1], reading_of(rows->field(2))});
  }
}

}  // namespace

const std::vector<Message>& messages() {
  static const std::vector<Message> all = read();
  return all;
}

std::optional<std::size_t> message_at(std::string_view id) {
  const auto& all = messages();
  const auto found = std::ranges::lower_bound(all, id, {}, &Message::id);
  if (found == all.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

const char* const kInstructions =
    R"(You read messages that people wrote to all kinds of companies, offices and practices.

Say **yes** if an answer tomorrow would be too late: something happens today, gets worse by the
hour, or is dangerous. Say **no** if the writer can wait until tomorrow.

- Judge by what is at stake, not by the tone. Capital letters and "urgent!" alone are a *no*; a polite
  note about a smell of gas is a *yes*.
- If a message does not say when something happens, assume what is most likely.
- If you cannot tell at all, skip it with `s`.
)";

}  // namespace allot::demo
