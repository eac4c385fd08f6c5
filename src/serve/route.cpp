#include "serve/route.hpp"

#include <algorithm>
#include <array>
#include <ranges>

namespace allot::serve {
namespace {

using http::Method;

/// Compares segment by segment; {name} stands for any segment that is not empty.
bool matches(std::string_view pattern, std::string_view path) {
  // Most patterns differ in their last segment.
  if (!pattern.ends_with('}') && !pattern.ends_with(path.substr(path.rfind('/')))) return false;
  while (true) {
    const std::size_t pattern_end = pattern.find('/', 1), path_end = path.find('/', 1);
    const std::string_view wanted = pattern.substr(0, pattern_end),
                           given = path.substr(0, path_end);
    if (wanted.starts_with("/{") ? given.size() < 2 : wanted != given) return false;
    if (pattern_end == std::string_view::npos || path_end == std::string_view::npos) {
      return pattern_end == path_end;
    }
    pattern.remove_prefix(pattern_end);
    path.remove_prefix(path_end);
  }
}

std::size_t depth(std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

}  // namespace

std::string_view about(Access access) {
  static constexpr std::array<std::string_view, 8> kTexts{
      "anyone",
      "anyone with a token",
      "admins",
      "admins and requesters",
      "admins and the campaign's owner",
      "admins, the campaign's owner and its workers",
      "admins, the campaign's owner and its reviewers",
      "admins and monitors"};
  return kTexts[static_cast<std::size_t>(access)];
}

std::string_view name(Method method) {
  return http::kMethodNames[static_cast<std::size_t>(method)];
}

void RouteGroup::add(Method method, const std::string& path, std::string name, Handler handle,
                     std::string summary, std::string response, RouteTraits traits) {
  routes_.push_back({std::move(traits), method, base_ + path, access_, std::move(name), handle,
                     std::move(summary), std::move(response)});
}

RouteTable::RouteTable(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    const std::size_t slashes = depth(route.pattern);
    if (by_depth_.size() <= slashes) by_depth_.resize(slashes + 1);
    by_depth_[slashes].push_back(&route);
  }
}

std::span<const Route* const> RouteTable::as_deep_as(std::string_view path) const {
  const std::size_t slashes = depth(path);
  return slashes < by_depth_.size() ? by_depth_[slashes] : std::span<const Route* const>();
}

const Route* RouteTable::find(Method method, std::string_view path) const {
  const Method wanted = method == Method::head ? Method::get : method;
  for (const Route* route : as_deep_as(path) | std::views::reverse) {
    if (route->method == wanted && matches(route->pattern, path)) return route;
  }
  return nullptr;
}

std::vector<Method> RouteTable::methods(std::string_view path) const {
  std::vector<Method> methods;
  for (const Route* route : as_deep_as(path)) {
    if (matches(route->pattern, path)) methods.push_back(route->method);
  }
  return methods;
}

Params params_of(std::string_view pattern, std::string_view path) {
  Params params;
  while (!pattern.empty()) {
    const std::string_view wanted = pattern.substr(0, pattern.find('/', 1)),
                           given = path.substr(0, path.find('/', 1));
    if (wanted.starts_with("/{")) {
      params.emplace(wanted.substr(2, wanted.size() - 3), given.substr(1));
    }
    pattern.remove_prefix(wanted.size());
    path.remove_prefix(given.size());
  }
  return params;
}

}  // namespace allot::serve
