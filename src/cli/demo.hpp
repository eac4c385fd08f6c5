// `allot demo`: a server with a campaign that a simulated crowd works in, and a seat for whoever
// runs it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "allot/base/result.hpp"

namespace CLI {
class App;
}

namespace allot::cli {

struct DemoFlags {
  std::optional<std::string> data, listen, seed;
  std::string pace = "8";
};

class DemoMenu {
 public:
  /// Registers the command; `app` must outlive the menu.
  explicit DemoMenu(CLI::App& app);

  /// Goes on until SIGTERM, SIGINT or SIGHUP; prints where to look, at once.
  Result<void> run() const;

 private:
  std::unique_ptr<DemoFlags> flags_;  // stays where CLI11 has it
};

}  // namespace allot::cli
