// What reviewers have decided: the verdict on each item that has one.
//
// A verdict is the answer to its item from then on, and counts as known: labels of the item no
// longer move beliefs about other items except through their workers, who are judged by it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "allot/campaign/event.hpp"

namespace allot::campaign {

/// A reviewer's decision about one item.
struct VerdictRecord {
  ClassId answer;        ///< the class of the item
  std::string reviewer;  ///< who decided
  std::string reason;    ///< words of the reviewer; may be empty
  /// Probabilities of the classes by labels alone, before the verdict; empty without a label.
  std::vector<double> stated;
  std::uint32_t labels;  ///< labels of the item at that time
  Time time;             ///< when the verdict was given
  bool drawn = false;    ///< whether the latest audit had drawn the item
};

/// The verdicts of a campaign, by item, and who gave or withdrew one that is gone. Memory: about
/// 120 bytes per verdict.
class VerdictTable {
 public:
  /// People by the number of the item on which a verdict of theirs was withdrawn, or they withdrew
  /// one.
  using PastReviewers = std::map<std::uint32_t, std::vector<std::string>>;

  /// The verdict on the item; null if there is none.
  const VerdictRecord* find(ItemId item) const {
    const auto known = verdicts_.find(position(item));
    return known == verdicts_.end() ? nullptr : &known->second;
  }
  /// The class that a verdict gives the item; nothing without one.
  std::optional<ClassId> answer(ItemId item) const {
    const VerdictRecord* const verdict = find(item);
    return verdict == nullptr ? std::nullopt : std::optional(verdict->answer);
  }
  /// Whether that person has decided the item, or withdrawn a verdict on it: such a person knows
  /// what others said, and does not label it as a worker.
  bool has_reviewed(ItemId item, const std::string& person) const;
  /// Those whose verdict is gone, by item.
  const PastReviewers& past_reviewers() const { return past_; }
  /// Verdicts that stand.
  std::size_t count() const { return verdicts_.size(); }
  /// All verdicts, by the number of their item.
  const std::map<std::uint32_t, VerdictRecord>& all() const { return verdicts_; }

  // For the state alone, which checks events first.

  /// Keeps a verdict on an item that has none.
  void add(ItemId item, VerdictRecord verdict) {
    verdicts_.emplace(position(item), std::move(verdict));
  }
  /// Takes the verdict on the item, which must have one, away, on behalf of that person.
  void remove(ItemId item, const std::string& person);
  /// Writes all verdicts and past reviewers.
  void save(ByteWriter& to) const;
  /// Adds what `save` wrote. Numbers beyond `items` or `classes` make the reader fail.
  void load(ByteReader& from, std::size_t items, std::size_t classes);

 private:
  std::map<std::uint32_t, VerdictRecord> verdicts_;
  PastReviewers past_;
};

}  // namespace allot::campaign
