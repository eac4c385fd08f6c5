#include "cli/learned_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::cli {
namespace {

/// Share of the answers that depend on the shares of classes, or on features, from which on a line
/// says so.
constexpr double kManyDecided = 0.05;

std::string confidences_note(const aggregate::Aggregation& made) {
  using aggregate::ConfidenceUse;
  switch (made.confidences) {
    case ConfidenceUse::absent:
      return "";
    case ConfidenceUse::useless:
      return "confidences: not used, they do not tell right labels from wrong ones";
    case ConfidenceUse::shared:
      return "confidences: used, with one meaning for all workers";
    case ConfidenceUse::own:
      return "confidences: used, with a meaning of each worker's own";
  }
  return "";
}

/// At least 1.
std::size_t labelled_items(const io::LabelFile& file) {
  std::vector<bool> has_label(file.items.size());
  for (const model::GivenLabel& one : file.set.labels) has_label[position(one.item)] = true;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::count(has_label, true)));
}

/// Says how many answers rest on features: workers can go by them too, and be wrong together.
std::string features_note(const io::LabelFile& file, const aggregate::Aggregation& made,
                          std::optional<std::uint32_t> by_features) {
  const std::optional<bool> used = made.features_used;
  if (used == false)
    return "features: not used, the labels do not show that they tell classes apart";
  const double decided = by_features.value_or(0) / static_cast<double>(labelled_items(file));
  if (decided >= kManyDecided) {
    return fmt::format(
        "features: used, and {:.0f} % of the answers would differ without them; if workers may go "
        "by the features rather than by the item, leave them out",
        100 * decided);
  }
  return used ? "features: used, they tell classes apart" : "";
}

/// Asks for the shares of classes where answers depend on them.
std::string shares_note(const io::LabelFile& file, const std::string& method,
                        const aggregate::Aggregation& made) {
  const double decided = made.decided_by_shares / static_cast<double>(labelled_items(file));
  if (decided < kManyDecided) return "";
  return fmt::format(
      "{}: {:.0f} % of the answers depend on whether the classes are as uneven as their labels; "
      "--shares says how common each class is",
      method, 100 * decided);
}

}  // namespace

Result<std::optional<std::uint32_t>> decided_by_features(const model::LabelSet& labels,
                                                         const std::string& method,
                                                         aggregate::MethodOptions options,
                                                         const aggregate::Aggregation& made) {
  if (method != "pooled" || !options.design || made.features_used == false)
    return std::optional<std::uint32_t>();
  options.design = nullptr;
  const auto run = TRY(aggregate::make_method(method, options));
  const auto without = TRY(run(labels));
  std::vector<bool> differs(labels.item_count);
  for (const model::GivenLabel& one : labels.labels) {
    const auto item = position(one.item);
    differs[item] = without.answers.answers[item] != made.answers.answers[item];
  }
  return static_cast<std::uint32_t>(std::ranges::count(differs, true));
}

std::vector<std::string> learned_notes(const io::LabelFile& file, const std::string& method,
                                       const aggregate::Aggregation& made,
                                       std::optional<std::uint32_t> by_features) {
  std::vector<std::string> notes{confidences_note(made), features_note(file, made, by_features),
                                 shares_note(file, method, made)};
  std::erase(notes, "");
  return notes;
}

}  // namespace allot::cli
