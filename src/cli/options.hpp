// Reading option values; every refusal names the option, the value and what would be accepted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/base/text.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/policy/class_policy.hpp"
#include "allot/policy/contextual_policy.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"

namespace allot::cli {

enum class Format { table, csv, json };

Result<std::uint64_t> read_whole(const std::string& option, const std::string& text,
                                 std::uint64_t least, std::uint64_t most);
/// One a processor if not given.
Result<std::uint32_t> read_threads(const std::optional<std::string>& text);
Result<Format> read_format(const std::string& text);
Result<io::Duplicates> read_duplicates(const std::string& text);
Result<policy::TieBreak> read_ties(const std::string& text);
/// The names in lists such as "kg,opt-kg": each once, in the order given.
std::vector<std::string> read_names(const std::vector<std::string>& lists);
/// Policies for workers who are alike, and for workers who differ; each once, even if it has
/// several names (cvar:0.5, cvar:0.50).
Result<std::vector<std::shared_ptr<const policy::Policy>>> read_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties);
Result<std::vector<std::shared_ptr<const policy::PairPolicy>>> read_pair_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties);
/// The same for items that are no yes/no items: of several classes or with features, and where
/// workers differ either.
Result<std::vector<std::shared_ptr<const policy::ClassPolicy>>> read_class_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties);
Result<std::vector<std::shared_ptr<const policy::ContextualPolicy>>> read_contextual_policies(
    const std::vector<std::string>& lists, const policy::ContextualPolicyOptions& options);
Result<std::vector<std::shared_ptr<const policy::PairPolicy>>> read_class_pair_policies(
    const std::vector<std::string>& lists, policy::TieBreak ties);

/// The value whose name is `text`; refuses any other and says which are known.
template <typename Value, std::size_t count>
Result<Value> read_choice(std::string_view option, std::string_view text,
                          const std::array<std::pair<std::string_view, Value>, count>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return fail(ErrorCode::invalid_argument,
              std::string(option) + " " + in_quotes(text) + " is unknown; expected " + names);
}

/// The same result; a refusal says in which option the value stood.
template <typename T>
Result<T> in_option(std::string_view option, Result<T> result) {
  if (!result) result.error().message = std::string(option) + ": " + result.error().message;
  return result;
}

/// The file as a message calls it.
inline std::string file_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// The same result; a refusal says in which file.
template <typename T>
Result<T> in_file(const std::string& path, Result<T> result) {
  return in_option(file_name(path), std::move(result));
}

/// A figure can be written there: the name ends in .svg and the place can be written to.
Result<void> check_plot(const std::string& path);

/// Stores read values one after the other, and remembers the first refusal.
class Reader {
 public:
  /// False if the value was refused.
  template <typename Target, typename Value>
  bool operator()(Target& target, Result<Value> value) {
    if (!value) {
      error_ = value.error();
      return false;
    }
    target = static_cast<Target>(*std::move(value));
    return true;
  }
  const Error& error() const { return error_; }

 private:
  Error error_{};
};

/// More items than this do not fit a 32-bit position.
inline constexpr std::uint64_t kMostItems = 4'000'000'000;
inline constexpr std::uint64_t kMostRuns = 100'000'000;

}  // namespace allot::cli
