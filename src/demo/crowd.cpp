#include "demo/crowd.hpp"

#include <algorithm>
#include <stdexcept>

#include "allot/base/rng.hpp"
#include "io/table_reader.hpp"

namespace allot::demo {
namespace {

constexpr std::string_view kFile =
#include "demo/messages.inc"
    ;

/// Chance that a member of a group repeats its shared view of a message.
constexpr double kRepeats = 0.75;

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

Cast::Cast(std::vector<Person> people) : people_(std::move(people)) {
  // Per turn each person gains as many points as they have turns; the one with most points comes
  // and pays kRound. A few points at the start keep the last of a round from being the first of the
  // next.
  std::vector<int> points(people_.size());
  for (std::size_t n = 0; n < points.size(); ++n) points[n] = 2 * static_cast<int>(n % 4);
  for (std::size_t& one : order_) {
    for (std::size_t n = 0; n < points.size(); ++n) points[n] += people_[n].turns;
    one = static_cast<std::size_t>(std::ranges::max_element(points) - points.begin());
    points[one] -= static_cast<int>(kRound);
  }
}

Money Cast::price_of(std::size_t person) const {
  return parse_price(people_[person].price).value();
}

bool Cast::says_yes(std::uint64_t seed, std::size_t person, std::size_t message) const {
  const Message& one = messages()[message];
  const double right = people_[person].right[static_cast<std::size_t>(one.reading)];
  const auto number = static_cast<std::uint32_t>(person);
  const Rng own(seed, Rng::Purpose::label, 0, number), shared(seed, Rng::Purpose::label, 1),
      repeats(seed, Rng::Purpose::label, 2, number);
  const bool is_shared =
      !people_[person].group.empty() && unit_interval(repeats.at(message)) < kRepeats;
  return (unit_interval((is_shared ? shared : own).at(message)) < right) == one.today;
}

const Cast& crowd() {
  // Careful people are expensive and come rarely; Max has misunderstood the question.
  static const Cast cast({{"Ines", "0.08", 5, {.97, .92, .82}},
                          {"Tomas", "0.06", 5, {.95, .90, .80}},
                          {"Mei", "0.06", 6, {.94, .88, .78}},
                          {"Kofi", "0.05", 6, {.92, .85, .74}},
                          {"Sara", "0.05", 7, {.90, .82, .72}},
                          {"Jonas", "0.04", 8, {.88, .80, .70}},
                          {"Lucia", "0.04", 8, {.85, .77, .66}},
                          {"Amir", "0.04", 8, {.82, .74, .64}},
                          {"Pia", "0.03", 12, {.70, .65, .60}},
                          {"Rufus", "0.03", 12, {.66, .62, .57}},
                          {"Max", "0.03", 9, {.36, .40, .45}},
                          {"language-model", "0.02", 14, {.88, .80, .68}}});
  return cast;
}

const Cast& models_and_people() {
  static const Cast cast = [] {
    const std::vector<Person>& all = crowd().people();
    std::vector<Person> some(all.begin(), all.begin() + 8);
    for (Person& one : some) one.turns = one.turns < 8 ? 6 : 7;
    some.front().turns = 5;
    some.push_back({"opal-2", "0.002", 25, {.90, .72, .60}, "opal"});
    some.push_back({"opal-2-mini", "0.002", 25, {.86, .70, .58}, "opal"});
    return Cast(std::move(some));
  }();
  return cast;
}

Shift::Shift(const Cast& cast, std::uint64_t seed, Workplace& workplace, Progress progress)
    : cast_(cast),
      seed_(seed),
      workplace_(workplace),
      left_(progress.left),
      leased_(std::move(progress.leased)),
      labels_(progress.labels) {
  leased_.resize(cast_.people().size());
  // Every turn so far gave a label, or was the first turn of a person who still has an item.
  turn_ = labels_ + static_cast<std::uint64_t>(std::ranges::count_if(
                        leased_, [](const Workplace::Item& item) { return item.has_value(); }));
}

Result<bool> Shift::next_label() {
  for (std::size_t n = 0; n < kRound; ++n) {
    const auto answered = take_turn();
    if (!answered || *answered) return answered;
  }
  return false;
}

Result<bool> Shift::take_turn() {
  const std::size_t person = cast_.person_of_turn(turn_++);
  const std::string worker(cast_.people()[person].name);
  Workplace::Item& item = leased_[person];
  const auto message = item ? message_at(*item) : std::nullopt;
  const bool answers = message.has_value();
  const Money price = cast_.price_of(person);
  const bool goes_on = price <= left_;
  Result<Workplace::Item> next = Workplace::Item();
  if (answers) {
    next =
        workplace_.give(worker, *item, kClasses[cast_.says_yes(seed_, person, *message)], goes_on);
  } else if (goes_on) {
    next = workplace_.ask(worker);
  }
  if (!next) return tl::unexpected(next.error());
  item = *std::move(next);
  if (item) left_ -= price;
  if (answers) ++labels_;
  return answers;
}

}  // namespace allot::demo
