// The items of the demo and its simulated people: who they are, how they label, and their work in
// a campaign.
//
// The items are messages that people write to companies. They are in messages.csv, which is
// compiled into the program: a text, the right answer by the workers' instructions, and a kind.
// Most are clear, some are tricky (a loud one that can wait, a polite one that cannot), and some
// are open: people who know the rule disagree.
//
// A person's label of a message depends only on the seed, the person and the message. So the same
// person gives the same labels in every campaign, and a comparison of two policies compares what
// they ask. People come in a fixed, evenly mixed order: two campaigns with equally many labels of
// one cast have bought them from the same people at the same prices.
//
// There are two casts. One has twelve people, a language model among them. In the other, two models
// of one family label beside eight of the people. The models repeat a shared view of a message
// three times in four, right or wrong, so together they are worth little more than one of them.
//
// In their turn, a person labels the item they have and takes the next one, which they keep until
// their next turn: so most people have an item at any time. A turn without a label (the first one,
// or there is no item) takes no time; the next person follows at once. The crowd has its own
// budget, whatever else the campaign may spend.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::demo {

enum class Reading : std::uint8_t { clear, tricky, open };
inline constexpr std::size_t kReadings = 3;

struct Message {
  std::string id;
  std::string text;
  /// The writer needs an answer today.
  bool today;
  Reading reading;
};

/// All messages in the order of the file.
const std::vector<Message>& messages();
/// Index of the message with that id.
std::optional<std::size_t> message_at(std::string_view id);

/// The classes: the writer can wait, or cannot.
inline constexpr std::array<const char*, 2> kClasses{"no", "yes"};
inline constexpr const char* kQuestion = "Does the writer need an answer today?";
/// Instructions for workers, in Markdown.
extern const char* const kInstructions;

struct Person {
  std::string_view name;
  /// Price of a label.
  std::string_view price;
  /// Turns out of a hundred.
  int turns;
  /// Share of right labels, per kind of message.
  std::array<double, kReadings> right;
  /// Workers with whom the person errs together; empty for none.
  std::string_view group = {};
};

/// Turns after which the order of people repeats.
inline constexpr std::size_t kRound = 100;

/// The people who work in a campaign.
class Cast {
 public:
  /// The turns of all people are kRound.
  explicit Cast(std::vector<Person> people);

  const std::vector<Person>& people() const { return people_; }
  Money price_of(std::size_t person) const;
  /// True if the person says yes.
  bool says_yes(std::uint64_t seed, std::size_t person, std::size_t message) const;
  /// The person whose turn it is; turns count from 0.
  std::size_t person_of_turn(std::uint64_t turn) const { return order_[turn % kRound]; }

 private:
  const std::vector<Person> people_;
  std::array<std::size_t, kRound> order_ = {};
};

/// Twelve people.
const Cast& crowd();
/// Eight of them, and two language models that err together.
const Cast& models_and_people();

/// Leases items and takes labels.
class Workplace {
 public:
  virtual ~Workplace() = default;
  /// An item for a worker, or nothing.
  using Item = std::optional<std::string>;
  virtual Result<Item> ask(const std::string& worker) = 0;
  /// Records a label; returns the next item if one is wanted.
  virtual Result<Item> give(const std::string& worker, const std::string& item,
                            const std::string& label, bool next) = 0;
};

class Shift {
 public:
  /// State at the start of the shift, if it resumes earlier work.
  struct Progress {
    /// Budget left for the crowd, beyond the leased items.
    Money left = {};
    /// By person; shorter if the last ones have no item.
    std::vector<Workplace::Item> leased = {};
    std::uint64_t labels = 0;
  };
  /// Cast and workplace must outlive the shift.
  Shift(const Cast& cast, std::uint64_t seed, Workplace& workplace, Progress progress);

  /// Takes turns until somebody gives a label; false if nobody can in a whole round. After an error
  /// the shift must be started again.
  Result<bool> next_label();
  /// Labels of the crowd so far.
  std::uint64_t labels() const { return labels_; }

 private:
  /// True if the turn gave a label.
  Result<bool> take_turn();

  const Cast& cast_;
  const std::uint64_t seed_;
  Workplace& workplace_;
  Money left_;
  std::vector<Workplace::Item> leased_;
  std::uint64_t labels_, turn_;
};

}  // namespace allot::demo
