#include "cli/learned_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"

namespace allot::cli {
namespace {

/// Share of the answers that depend on the shares of classes, from which on a line says so.
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

std::string features_note(const aggregate::Aggregation& made) {
  if (!made.features_used) return "";
  return *made.features_used
             ? "features: used, they tell classes apart"
             : "features: not used, the labels do not show that they tell classes apart";
}

std::size_t labelled_items(const io::LabelFile& file) {
  std::vector<bool> has_label(file.items.size());
  for (const model::GivenLabel& one : file.set.labels) has_label[position(one.item)] = true;
  return static_cast<std::size_t>(std::ranges::count(has_label, true));
}

/// Asks for the shares of classes where answers depend on them.
std::string shares_note(const io::LabelFile& file, const std::string& method,
                        const aggregate::Aggregation& made) {
  const auto labelled = static_cast<double>(std::max<std::size_t>(labelled_items(file), 1));
  const double decided = made.decided_by_shares / labelled;
  if (decided < kManyDecided) return "";
  return fmt::format(
      "{}: {:.0f} % of the answers depend on whether the classes are as uneven as their labels; "
      "--shares says how common each class is",
      method, 100 * decided);
}

}  // namespace

std::vector<std::string> learned_notes(const io::LabelFile& file, const std::string& method,
                                       const aggregate::Aggregation& made) {
  std::vector<std::string> notes{confidences_note(made), features_note(made),
                                 shares_note(file, method, made)};
  std::erase(notes, "");
  return notes;
}

}  // namespace allot::cli
