#include "allot/campaign/review.hpp"

#include "campaign/coding.hpp"

namespace allot::campaign {

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, VerdictRecord>
void code(Bytes& bytes, Of& verdict) {
  code_all(bytes, verdict.answer, verdict.reviewer, verdict.reason, verdict.stated, verdict.labels,
           verdict.time, verdict.drawn);
}

void VerdictTable::save(ByteWriter& to) const { code(to, verdicts_); }

void VerdictTable::load(ByteReader& from, std::size_t items, std::size_t classes) {
  code(from, verdicts_);
  for (const auto& [item, verdict] : verdicts_) {
    if (item >= items || position(verdict.answer) >= classes ||
        (!verdict.stated.empty() && verdict.stated.size() != classes)) {
      return from.refuse();
    }
  }
}

}  // namespace allot::campaign
