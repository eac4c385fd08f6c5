#include "allot/store/memory_store.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>

#include "store/messages.hpp"

namespace allot::store {
namespace {

struct Shelf {
  std::vector<Record> records;
  std::unordered_map<std::string, std::size_t> by_key;  // place of the record
  std::map<std::uint32_t, std::string> contents;
  std::optional<Snapshot> snapshot;
};

class MemoryStore final : public Store {
 public:
  Result<std::vector<std::string>> campaigns() override {
    const std::scoped_lock lock(reading_);
    return names_;
  }

  Result<std::uint64_t> last(std::string_view campaign) override {
    return look(campaign, [](const Shelf& shelf) { return std::uint64_t{shelf.records.size()}; });
  }

  Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                   std::size_t most) override {
    return look(campaign, [&](const Shelf& shelf) {
      const std::size_t from = std::min<std::size_t>(after, shelf.records.size());
      const std::size_t count = std::min(most, shelf.records.size() - from);
      const auto first = shelf.records.begin() + static_cast<std::ptrdiff_t>(from);
      return std::vector<Record>(first, first + static_cast<std::ptrdiff_t>(count));
    });
  }

  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) override {
    return look(campaign, [&](const Shelf& shelf) -> std::optional<Record> {
      const auto known = shelf.by_key.find(std::string(key));
      if (known == shelf.by_key.end()) return {};
      return shelf.records[known->second];
    });
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    return look(campaign, [&](const Shelf& shelf) -> std::optional<std::string> {
      const auto known = shelf.contents.find(item);
      if (known == shelf.contents.end()) return {};
      return known->second;
    });
  }

  Result<std::vector<Content>> contents(std::string_view campaign, std::uint32_t from,
                                        std::size_t most) override {
    return look(campaign, [&](const Shelf& shelf) {
      std::vector<Content> found;
      for (auto at = shelf.contents.lower_bound(from);
           at != shelf.contents.end() && found.size() < most; ++at) {
        found.push_back({at->first, at->second});
      }
      return found;
    });
  }

  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) override {
    return look(campaign, [](const Shelf& shelf) { return shelf.snapshot; });
  }

  Result<void> save(std::string_view campaign, const Snapshot& snapshot) override {
    const std::scoped_lock lock(reading_);
    auto& kept = shelf_of(campaign).snapshot;
    if (!kept || kept->sequence <= snapshot.sequence) kept = snapshot;
    return {};
  }

  Result<void> remove(std::string_view campaign) override {
    const std::scoped_lock lock(appending_, reading_);
    if (const auto known = shelves_.find(campaign); known != shelves_.end()) shelves_.erase(known);
    std::erase(names_, campaign);
    return {};
  }

  Result<std::unique_ptr<Turn>> begin(std::string_view campaign) override;

 private:
  friend class MemoryTurn;

  template <typename Look>
  auto look(std::string_view campaign, Look what) -> Result<decltype(what(Shelf{}))> {
    const std::scoped_lock lock(reading_);
    const auto known = shelves_.find(campaign);
    return what(known == shelves_.end() ? kEmpty : known->second);
  }

  Shelf& shelf_of(std::string_view campaign) { return shelves_[std::string(campaign)]; }

  static inline const Shelf kEmpty;
  std::mutex appending_;  // held by the turn
  std::mutex reading_;
  std::map<std::string, Shelf, std::less<>> shelves_;
  std::vector<std::string> names_;
};

class MemoryTurn final : public Turn {
 public:
  MemoryTurn(MemoryStore& store, std::string campaign)
      : store_(store), turn_(store.appending_), campaign_(std::move(campaign)) {}

  Result<std::uint64_t> last() override { return store_.last(campaign_); }

  Result<std::vector<Record>> read(std::uint64_t after, std::size_t most) override {
    return store_.read(campaign_, after, most);
  }

  Result<std::optional<Record>> find(std::string_view key) override {
    return store_.find(campaign_, key);
  }

  Result<std::optional<std::string>> content(std::uint32_t item) override {
    return store_.content(campaign_, item);
  }

  Result<void> append(std::span<const Draft> drafts) override {
    const std::scoped_lock lock(store_.reading_);
    const auto& known = store_.shelf_of(campaign_).by_key;
    for (const Draft& draft : drafts) {
      const auto same = [&](const Draft& other) { return other.key == draft.key; };
      if (!draft.key.empty() && (known.contains(draft.key) || std::ranges::any_of(drafts_, same))) {
        return key_in_use(campaign_, draft.key);
      }
      drafts_.push_back(draft);
    }
    return {};
  }

  Result<void> add(std::span<const Content> contents) override {
    const std::scoped_lock lock(store_.reading_);
    const auto& known = store_.shelf_of(campaign_).contents;
    for (const Content& content : contents) {
      if (known.contains(content.item) || !contents_.emplace(content.item, content.fields).second) {
        return content_in_use(campaign_, content.item);
      }
    }
    return {};
  }

  Result<void> commit() override {
    const std::scoped_lock lock(store_.reading_);
    Shelf& shelf = store_.shelf_of(campaign_);
    if (shelf.records.empty() && !drafts_.empty()) store_.names_.push_back(campaign_);
    for (Draft& draft : drafts_) {
      if (!draft.key.empty()) shelf.by_key[draft.key] = shelf.records.size();
      shelf.records.push_back({std::move(draft), shelf.records.size() + 1});
    }
    shelf.contents.merge(contents_);
    return {};
  }

 private:
  MemoryStore& store_;
  const std::unique_lock<std::mutex> turn_;
  const std::string campaign_;
  std::vector<Draft> drafts_;
  std::map<std::uint32_t, std::string> contents_;
};

Result<std::unique_ptr<Turn>> MemoryStore::begin(std::string_view campaign) {
  return std::make_unique<MemoryTurn>(*this, std::string(campaign));
}

}  // namespace

std::unique_ptr<Store> memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace allot::store
