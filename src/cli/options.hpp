// Reads option values. Every error names the option, the value and what was expected.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/io/label_csv.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"
#include "cli/formats.hpp"
#include "cli/plugins.hpp"
#include "io/option_value.hpp"

namespace allot::cli {

using io::in_option;
using io::read_choice;
using io::read_whole;

/// Paragraphs of help texts that several commands share.
inline constexpr const char* kDistributionNote =
    "Distributions: `uniform`, `jeffreys`, `haldane`, `beta:A,B` or "
    "`mix:W*beta(A,B)+W*beta(A,B)`. With more than two classes: `uniform`, `jeffreys`, "
    "`dirichlet:A` or `dirichlet:A1,A2,A3`.";

/// Options that several commands share.
void add_policies(Command& command, std::vector<std::string>& policies,
                  const std::string& default_text = "");
void add_ties(Command& command, std::string& ties);
void add_seed(Command& command, std::string& seed);
void add_threads(Command& command, std::optional<std::string>& threads);
void add_format(Command& command, std::string& format);
void add_plot(Command& command, std::optional<std::string>& plot);

/// Reads a number from `least` to `most`; an error describes it as `expected`.
Result<double> read_number(std::string_view option, const std::string& text, double least,
                           double most, std::string_view expected);
/// Number of threads; one per processor if not given.
Result<std::uint32_t> read_threads(const std::optional<std::string>& text);
Result<policy::TieBreak> read_ties(const std::string& text);
/// Names in lists such as "kg,opt-kg", in the order given.
std::vector<std::string> read_all_names(const std::vector<std::string>& lists);
/// The same, each once.
std::vector<std::string> read_names(const std::vector<std::string>& lists);
/// Policies in the form needed; each once, even if it has several names (cvar:0.5, cvar:0.50).
Result<std::vector<std::shared_ptr<const policy::Policy>>> read_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties, policy::Form form,
    const Plugins& plugins = {});

/// Name of a file in messages.
inline std::string file_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// Result with the name of the file in its error.
template <typename T>
Result<T> in_file(const std::string& path, Result<T> result) {
  return in_option(file_name(path), std::move(result));
}

/// Whether both paths lead to the same file, which need not be there yet.
bool same_file(const std::string& path, const std::string& other);
/// Checks that the file of an option, if it is given, can be written.
Result<void> check_writable(std::string_view option, const std::optional<std::string>& path);
/// Checks that a figure, if it is wanted, can be written and has a name that ends in .svg.
Result<void> check_plot(const std::optional<std::string>& path);

/// Limit of 32-bit positions.
inline constexpr std::uint64_t kMostItems = 4'000'000'000;
inline constexpr std::uint64_t kMostRuns = 100'000'000;

}  // namespace allot::cli
