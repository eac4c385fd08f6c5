// `allot campaign`: names and help texts of its commands and options.
#pragma once

#include <memory>
#include <string>

#include "cli/commands.hpp"

namespace CLI {
class App;
}

namespace allot::cli {

class CampaignMenu {
 public:
  /// Registers the command and its commands; `app` must outlive the menu.
  explicit CampaignMenu(CLI::App& app);
  ~CampaignMenu();

  /// The name of the command that was chosen; empty if none was.
  std::string chosen() const;
  /// Does what was chosen.
  Result<Output> run() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::cli
