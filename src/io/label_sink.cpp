#include "io/label_sink.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/csv_reader.hpp"

namespace allot::io {
namespace {

/// Texts that programs write for a missing value. `None` is not among them: people use it as a
/// class.
constexpr std::array<std::string_view, 10> kMissing{"",     "NA",  "N/A", "n/a",  "#N/A",
                                                    "<NA>", "NaN", "nan", "NULL", "null"};

/// Bytes of a name. A file whose quotes never close, or a hostile one, can have a field of
/// gigabytes.
constexpr std::size_t kLongestName = std::size_t{1} << 16;

Result<void> check_length(std::uint64_t line, std::string_view what, std::string_view name) {
  if (name.size() <= kLongestName) return {};
  return refuse_line(line, "the {} {} has {} bytes; expected at most {}", what,
                     in_quotes(name.substr(0, kLongestName)), name.size(), kLongestName);
}

}  // namespace

bool is_missing_text(std::string_view text) {
  // Nearly all texts are told by their first character.
  if (!text.empty() && std::string_view("Nn#<").find(text.front()) == std::string_view::npos)
    return false;
  return std::ranges::find(kMissing, text) != kMissing.end();
}

bool LabelSink::is_missing(std::string_view label) const {
  if (!is_missing_text(label)) return false;
  return label.empty() || std::ranges::find(reading_.classes, label) == reading_.classes.end();
}

Result<void> LabelSink::add(std::uint64_t line, const FoundLabel& label) {
  auto [item, worker, given, confidence] = label;
  if (item.empty()) return refuse_line(line, "the item is empty");
  if (reading_.worker && !worker.empty() && worker != *reading_.worker) {
    return refuse_line(line, "worker {} is not the worker of --worker; expected {}",
                       in_quotes(worker), in_quotes(*reading_.worker));
  }
  if (worker.empty() && reading_.worker) worker = *reading_.worker;
  if (worker.empty()) return refuse_line(line, "the worker is empty");
  TRY(check_length(line, "item", item));
  TRY(check_length(line, "worker", worker));
  TRY(check_length(line, "label", given));
  if (is_missing(given)) {
    leave_out(&LeftOutLabels::missing, item);
    return {};
  }
  if (!is_missing_text(confidence)) {
    const auto number = parse_number(confidence);
    if (!number || !std::isfinite(*number)) {
      return refuse_line(line, "the confidence {} is not a number; expected one or an empty field",
                         in_quotes(confidence));
    }
    confidences.resize(labels.size(), model::kNoConfidence);
    confidences.push_back(static_cast<float>(*number));
  }
  labels.push_back({ItemId{items.number(item)}, WorkerId{workers.number(worker)},
                    ClassId{classes.number(given)}});
  lines.push_back(static_cast<std::uint32_t>(line));
  return {};
}

void LabelSink::add_truth(std::uint64_t line, std::string_view item, std::string_view truth) {
  if (!is_missing(truth)) truths.push_back({std::string(item), std::string(truth), line});
}

void LabelSink::leave_out(std::uint64_t LeftOutLabels::*reason, std::string_view item) {
  ++(left_out.*reason);
  meet(item);
}

std::uint64_t LabelSink::lost_items() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      met_.names(), [&](const std::string& item) { return !items.find(item); }));
}

}  // namespace allot::io
