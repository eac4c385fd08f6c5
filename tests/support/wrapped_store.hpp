// A store that passes everything on to another, for tests that change or watch a part of it.
#pragma once

#include "allot/store/store.hpp"

namespace allot::test {

class WrappedStore : public store::Store {
 public:
  explicit WrappedStore(store::Store& inner) : inner_(inner) {}

  Result<std::vector<std::string>> campaigns() override { return inner_.campaigns(); }
  Result<std::uint64_t> last(std::string_view campaign) override { return inner_.last(campaign); }
  Result<std::vector<store::Record>> read(std::string_view campaign, std::uint64_t after,
                                          std::size_t most) override {
    return inner_.read(campaign, after, most);
  }
  Result<std::optional<store::Record>> find(std::string_view campaign,
                                            std::string_view key) override {
    return inner_.find(campaign, key);
  }
  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    return inner_.content(campaign, item);
  }
  Result<std::vector<store::Content>> contents(std::string_view campaign, std::uint32_t from,
                                               std::size_t most) override {
    return inner_.contents(campaign, from, most);
  }
  Result<std::optional<store::Snapshot>> snapshot(std::string_view campaign) override {
    return inner_.snapshot(campaign);
  }
  Result<void> save(std::string_view campaign, const store::Snapshot& snapshot) override {
    return inner_.save(campaign, snapshot);
  }
  Result<void> remove(std::string_view campaign) override { return inner_.remove(campaign); }
  Result<std::unique_ptr<store::Turn>> begin(std::string_view campaign) override {
    return inner_.begin(campaign);
  }
  void rest() override { inner_.rest(); }

 protected:
  store::Store& inner() { return inner_; }

 private:
  store::Store& inner_;
};

}  // namespace allot::test
