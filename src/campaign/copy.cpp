#include "allot/campaign/copy.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {
namespace {

class Copier {
 public:
  Copier(store::Store& from, const std::string& name, store::Store& to)
      : from_(from), name_(name), to_(to) {}

  Result<CopyReport> run() {
    const auto snapshot = TRY(from_.snapshot(name_));
    end_ = TRY(from_.last(name_));
    if (end_ == 0) return fail(ErrorCode::not_found, "there is no campaign {}", in_quotes(name_));
    TRY(write());
    if (snapshot) TRY(to_.save(name_, *snapshot));
    TRY(compare_records());
    TRY(compare_contents());
    if (TRY(to_.snapshot(name_)) != snapshot) return differs("the snapshot");
    report_.records = end_;
    report_.missed = TRY(from_.last(name_)) - end_;
    return report_;
  }

 private:
  Result<std::vector<store::Record>> read(store::Store& store, std::uint64_t after) const {
    return store.read(name_, after, std::min<std::uint64_t>(kRecordsAtOnce, end_ - after));
  }

  /// Calls visit with the contents of the items that the copied records know, some at a time. The
  /// original may have more by now.
  template <typename Visit>
  Result<void> each_content(store::Store& store, Visit visit) const {
    for (std::uint32_t next = 0; next < original_.state().item_count();) {
      const std::size_t most =
          std::min<std::size_t>(kContentsAtOnce, original_.state().item_count() - next);
      auto contents = TRY(store.contents(name_, next, most));
      std::erase_if(contents, [&](const store::Content& content) {
        return content.item >= original_.state().item_count();
      });
      if (contents.empty()) break;
      next = contents.back().item + 1;
      TRY(visit(contents));
    }
    return {};
  }

  /// One commit, so that nobody finds half a campaign.
  Result<void> write() {
    const auto turn = TRY(to_.begin(name_));
    if (const std::uint64_t last = TRY(turn->last()); last > 0) {
      return fail(ErrorCode::conflict,
                  "campaign {} is there already, with {} records; expected a target without it",
                  in_quotes(name_), last);
    }
    for (std::uint64_t done = 0; done < end_;) {
      const auto records = TRY(read(from_, done));
      done += records.size();
      for (const store::Record& record : records) TRY(original_.apply(record));
      TRY(turn->append(std::vector<store::Draft>(records.begin(), records.end())));
    }
    TRY(each_content(from_, [&](const std::vector<store::Content>& contents) {
      report_.contents += contents.size();
      return turn->add(contents);
    }));
    return turn->commit();
  }

  /// Reading checks the checksums. The states are compared as bytes.
  Result<void> compare_records() const {
    Core copy;
    for (std::uint64_t done = 0; done < end_;) {
      const auto ours = TRY(read(from_, done)), theirs = TRY(read(to_, done));
      const auto [one, other] = std::ranges::mismatch(ours, theirs);
      if (one != ours.end() || other != theirs.end()) {
        return differs(
            fmt::format("record {}", done + 1 + static_cast<std::uint64_t>(one - ours.begin())));
      }
      for (const store::Record& record : theirs) TRY(copy.apply(record));
      done += ours.size();
    }
    ByteWriter state, copied;
    original_.state().save(state);
    copy.state().save(copied);
    if (state.bytes() != copied.bytes()) return differs("the state");
    if (TRY(to_.last(name_)) != end_) return differs("the number of records");
    return {};
  }

  Result<void> compare_contents() const {
    std::uint64_t count = 0;
    TRY(each_content(to_, [&](const std::vector<store::Content>& theirs) -> Result<void> {
      count += theirs.size();
      const auto ours = TRY(from_.contents(name_, theirs.front().item, theirs.size()));
      const auto [one, other] = std::ranges::mismatch(ours, theirs);
      if (other == theirs.end()) return {};
      return differs(fmt::format("the content of item {}", other->item));
    }));
    return count == report_.contents ? Result<void>() : differs("the number of contents");
  }

  tl::unexpected<Error> differs(const std::string& what) const {
    return fail(ErrorCode::store_failure,
                "campaign {}: {} differs from the original in the copy; do not use the copy",
                in_quotes(name_), what);
  }

  store::Store& from_;
  const std::string& name_;
  store::Store& to_;
  std::uint64_t end_ = 0;
  Core original_;  // at record end_, once it is written
  CopyReport report_;
};

}  // namespace

Result<CopyReport> copy(store::Store& from, const std::string& name, store::Store& to) {
  return Copier(from, name, to).run();
}

}  // namespace allot::campaign
