#include "store/postgres_contents.hpp"

#include "base/try.hpp"

namespace allot::store {

Result<std::optional<std::string>> PostgresContents::find(std::int64_t id,
                                                          std::string_view campaign,
                                                          std::uint32_t item) {
  constexpr std::size_t kEntryBytes = 64;  // of the tables, about
  const Place place{id, item / kBlock};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto block = blocks_.find(place); block != blocks_.end()) {
      const auto known = block->second.fields.find(item);
      if (known != block->second.fields.end()) return known->second;
    }
  }
  const std::uint32_t from = item / kBlock * kBlock;
  Block block;
  std::optional<std::string> found;
  for (Content& content :
       TRY(reader_.contents_near(campaign, item, from, from + (kBlock - 1), kLargest))) {
    if (content.item == item) found = content.fields;
    if (content.fields.size() > kLargest) continue;
    block.bytes += content.fields.size() + kEntryBytes;
    block.fields.emplace(content.item, std::move(content.fields));
  }
  if (!block.fields.empty()) keep(place, std::move(block));
  return found;
}

void PostgresContents::keep(const Place& place, Block block) {
  const std::scoped_lock lock(mutex_);
  const auto [kept, is_new] = blocks_.try_emplace(place);
  if (is_new) oldest_first_.push_back(place);
  bytes_ += block.bytes - kept->second.bytes;
  kept->second = std::move(block);
  while (bytes_ > kMostBytes) {
    const auto oldest = blocks_.find(oldest_first_.front());
    bytes_ -= oldest->second.bytes;
    blocks_.erase(oldest);
    oldest_first_.pop_front();
  }
}

}  // namespace allot::store
