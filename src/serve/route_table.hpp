// All routes, found by method and path.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serve/route.hpp"

namespace allot::serve {

class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes);

  const std::vector<Route>& routes() const { return routes_; }

  struct Match {
    /// Null if there is none.
    const Route* route = nullptr;
    /// Methods of all routes with such a path.
    std::vector<http::Method> allowed;
  };
  /// HEAD matches the route of GET. O(routes with as many slashes as the path).
  Match match(http::Method method, std::string_view path) const;

 private:
  const std::vector<Route> routes_;
  std::vector<std::vector<const Route*>> by_depth_;  // by slashes in the pattern
};

using Params = std::map<std::string, std::string, std::less<>>;
/// Values of the {names} of a pattern, in a path that matches it.
Params params_of(std::string_view pattern, std::string_view path);

}  // namespace allot::serve
