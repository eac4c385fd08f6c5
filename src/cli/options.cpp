#include "cli/options.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "allot/policy/registry.hpp"
#include "base/errors.hpp"

namespace allot::cli {

void add_policies(Command& command, std::vector<std::string>& policies,
                  const std::string& default_text) {
  command.add("--policy", &policies, "NAME,...", "Policies to compare; `allot policies` lists all",
              default_text);
}

void add_ties(Command& command, std::string& ties) {
  command.add("--ties", &ties, "RULE", "Choice among equally good candidates: `random` or `first`");
}

void add_seed(Command& command, std::string& seed) {
  command.add("--seed", &seed, "N", "Seed of all random numbers");
}

void add_threads(Command& command, std::optional<std::string>& threads) {
  command.add("--threads", &threads, "N", "Threads; their number does not change the results",
              "one per processor");
}

void add_format(Command& command, std::string& format) {
  command.add("--format", &format, "F", "Output format: `table`, `csv` or `json`");
}

void add_plot(Command& command, std::optional<std::string>& plot) {
  command.add("--plot", &plot, "FILE.svg", "Also draw accuracy against budget, as an SVG figure");
}

Result<double> read_number(std::string_view option, const std::string& text, double least,
                           double most, std::string_view expected) {
  const auto number = parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  return invalid("{} {} is {}; expected {}", option, in_quotes(text),
                 number ? "out of range" : "not a number", expected);
}

Result<std::uint32_t> read_threads(const std::optional<std::string>& text) {
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  return read_whole<std::uint32_t>("--threads", *text, 1, 1024);
}

Result<policy::TieBreak> read_ties(const std::string& text) {
  return read_choice<policy::TieBreak>(
      "--ties", text, {{"random", policy::TieBreak::random}, {"first", policy::TieBreak::first}});
}

std::vector<std::string> read_all_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (const std::string_view name : split(list, ',')) names.emplace_back(trim(name));
  return names;
}

std::vector<std::string> read_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (std::string& name : read_all_names(lists))
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

Result<std::vector<std::shared_ptr<const policy::Policy>>> read_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties, policy::Form form,
    const Plugins& plugins) {
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  for (const std::string& name : read_names(lists)) {
    const auto own = std::ranges::find(plugins.policies, name, &policy::Policy::name);
    if (own != plugins.policies.end() && !(*own)->has(form)) {
      return invalid(
          "policy {} cannot choose items with features where workers are alike; expected workers "
          "who differ",
          in_quotes(name));
    }
    auto made = own != plugins.policies.end() ? *own : TRY(policy::make_policy(name, ties, form));
    const auto same = [&](const auto& known) { return known->name() == made->name(); };
    if (std::ranges::none_of(policies, same)) policies.push_back(made);
  }
  return policies;
}

bool same_file(const std::string& path, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  return fs::equivalent(path, other, unknown) ||
         fs::weakly_canonical(fs::absolute(path)) == fs::weakly_canonical(fs::absolute(other));
}

Result<void> check_writable(std::string_view option, const std::optional<std::string>& path) {
  return path ? in_option(option, io::check_writable(*path)) : Result<void>();
}

Result<void> check_plot(const std::optional<std::string>& path) {
  if (path && !path->ends_with(".svg"))
    return invalid("--plot '{}' is not an SVG file; expected a name that ends in .svg", *path);
  return check_writable("--plot", path);
}

}  // namespace allot::cli
