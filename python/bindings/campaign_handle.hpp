// The campaign that a Python object holds, and what Python gives to make one.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/store.hpp"

namespace allot::python {

/// Items as Python gives them, column by column; columns may be empty.
struct ItemArguments {
  std::vector<std::string> ids, fields;
  std::vector<std::optional<std::string>> prices, gold, truth;
  std::vector<std::vector<double>> features;

  /// Errors name row and column.
  Result<std::vector<campaign::ItemDraft>> drafts() const;
};

/// Worker and price.
using PriceList = std::vector<std::pair<std::string, std::string>>;

Result<std::vector<std::pair<std::string, Money>>> read_prices(const PriceList& texts);

/// Worker and group.
using GroupList = std::vector<std::pair<std::string, std::string>>;

/// A store with one of its campaigns.
struct OpenCampaign {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<campaign::Campaign> campaign;
};

/// An open campaign, until it is closed. Threads can share it; a child process must open its own.
class CampaignHandle {
 public:
  CampaignHandle(OpenCampaign opened, bool in_file)
      : opened_(std::make_shared<OpenCampaign>(std::move(opened))), in_file_(in_file) {}
  CampaignHandle(const CampaignHandle&) = delete;
  ~CampaignHandle();

  /// The campaign, which stays open as long as the pointer. Refuses a process other than the one
  /// that opened the file. Needs the interpreter lock.
  std::shared_ptr<campaign::Campaign> get() const;
  /// Closes the file as soon as calls that are under way have ended.
  void close();

 private:
  bool is_foreign() const { return in_file_ && getpid() != process_; }

  std::shared_ptr<OpenCampaign> opened_;
  bool in_file_;
  pid_t process_ = getpid();
};

using Handle = std::shared_ptr<CampaignHandle>;

/// A new campaign, in memory without a path.
Handle create_campaign(const std::optional<std::string>& path, const std::string& name,
                       const std::string& budget, const pybind11::dict& options,
                       const ItemArguments& items, const PriceList& prices,
                       const GroupList& groups);

/// The campaign of that name, or the only one of the file.
Handle open_campaign(const std::string& path, const std::optional<std::string>& name,
                     bool read_only);

}  // namespace allot::python
