#include "allot/campaign/review.hpp"

#include <algorithm>

#include "campaign/coding.hpp"

namespace allot::campaign {

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, VerdictRecord>
void code(Bytes& bytes, Of& verdict) {
  code_all(bytes, verdict.answer, verdict.reviewer, verdict.reason, verdict.stated, verdict.labels,
           verdict.time, verdict.drawn);
}

bool VerdictTable::has_reviewed(ItemId item, const std::string& person) const {
  const VerdictRecord* const verdict = find(item);
  if (verdict != nullptr && verdict->reviewer == person) return true;
  const auto past = past_.find(position(item));
  return past != past_.end() && std::ranges::find(past->second, person) != past->second.end();
}

void VerdictTable::remove(ItemId item, const std::string& person) {
  const auto verdict = verdicts_.find(position(item));
  std::vector<std::string>& people = past_[position(item)];
  for (const std::string& one : {verdict->second.reviewer, person}) {
    if (std::ranges::find(people, one) == people.end()) people.push_back(one);
  }
  verdicts_.erase(verdict);
}

void VerdictTable::save(ByteWriter& to) const {
  code(to, verdicts_);
  code(to, past_);
}

void VerdictTable::load(ByteReader& from, std::size_t items, std::size_t classes) {
  code(from, verdicts_);
  for (const auto& [item, verdict] : verdicts_) {
    if (item >= items || position(verdict.answer) >= classes ||
        (!verdict.stated.empty() && verdict.stated.size() != classes)) {
      return from.refuse();
    }
  }
  code(from, past_);
  if (!past_.empty() && past_.rbegin()->first >= items) from.refuse();
}

}  // namespace allot::campaign
