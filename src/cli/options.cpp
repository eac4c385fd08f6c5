#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "allot/base/text.hpp"
#include "allot/policy/registry.hpp"
#include "cli/output_file.hpp"

namespace allot::cli {
namespace {

/// The value whose name is `text`; names and values stand in the same order.
template <typename Value, std::size_t count>
Result<Value> read_choice(std::string_view option, std::string_view text,
                          const std::array<std::pair<std::string_view, Value>, count>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} '{}' is unknown; expected {}", option, text, fmt::join(names, ", ")));
}

}  // namespace

Result<std::uint64_t> read_whole(const std::string& option, const std::string& text,
                                 std::uint64_t least, std::uint64_t most) {
  const auto number = parse_whole(text);
  if (number && *number >= least && *number <= most) return *number;
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} '{}' is not a whole number from {} to {}", option, text, least, most));
}

Result<std::uint32_t> read_threads(const std::optional<std::string>& text) {
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  return read_whole("--threads", *text, 1, 1024).map([](std::uint64_t n) {
    return static_cast<std::uint32_t>(n);
  });
}

Result<Format> read_format(const std::string& text) {
  return read_choice<Format, 3>(
      "--format", text, {{{"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}}});
}

Result<io::Duplicates> read_duplicates(const std::string& text) {
  return read_choice<io::Duplicates, 3>("--duplicates", text,
                                        {{{"error", io::Duplicates::error},
                                          {"first", io::Duplicates::first},
                                          {"last", io::Duplicates::last}}});
}

Result<policy::TieBreak> read_ties(const std::string& text) {
  return read_choice<policy::TieBreak, 2>(
      "--ties", text, {{{"random", policy::TieBreak::random}, {"first", policy::TieBreak::first}}});
}

Result<std::vector<std::shared_ptr<const policy::Policy>>> read_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties) {
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  for (const std::string& list : lists) {
    for (const std::string_view name : split(list, ',')) {
      auto made = policy::make_policy(trim(name), ties);
      if (!made) return tl::unexpected(made.error());
      const auto same = [&](const auto& known) { return known->name() == (*made)->name(); };
      if (std::ranges::none_of(policies, same)) policies.push_back(*made);
    }
  }
  return policies;
}

Result<void> check_plot(const std::string& path) {
  if (!path.ends_with(".svg")) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--plot '{}' is no SVG file; expected a name that ends in .svg", path));
  }
  return in_option("--plot", check_writable(path));
}

}  // namespace allot::cli
