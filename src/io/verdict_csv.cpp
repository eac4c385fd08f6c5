#include "allot/io/verdict_csv.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/notation.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

/// Reads the rows of a verdict file one by one.
class VerdictRows {
 public:
  VerdictRows(const FinishedAnswers& answers, const std::vector<bool>& drawn)
      : answers_(answers),
        drawn_(drawn),
        items_(answers.items),
        classes_(answers.classes),
        notations_(answers.classes),
        truths_(answers.items.size()),
        lines_(answers.items.size()) {}

  Result<void> read(std::uint64_t line, std::string_view name, std::string_view truth) {
    if (name.empty()) return refuse_line(line, "the item is empty");
    const std::uint32_t item = TRY(item_of(line, name));
    if (truth.empty()) return {};
    const ClassId verdict = TRY(class_of(line, name, truth));
    if (truths_[item] && truths_[item] != verdict)
      return refuse_line(line, "the truth of item {} is {}, but {} in line {}; expected one truth",
                         in_quotes(name), in_quotes(truth),
                         in_quotes(answers_.classes[position(*truths_[item])]), lines_[item]);
    truths_[item] = verdict;
    lines_[item] = line;
    return {};
  }
  std::vector<std::optional<ClassId>> take() && { return std::move(truths_); }

 private:
  Result<std::uint32_t> item_of(std::uint64_t line, std::string_view name) const {
    const auto item = items_.find(name);
    if (!item)
      return refuse_line(line, "item {} has no answer; expected an item of the answers",
                         in_quotes(name));
    if (!drawn_[*item])
      return refuse_line(line,
                         "item {} was not drawn; expected the items drawn from the same answers "
                         "with the same options",
                         in_quotes(name));
    return *item;
  }

  Result<ClassId> class_of(std::uint64_t line, std::string_view name,
                           std::string_view truth) const {
    if (const auto exact = classes_.find(truth)) return ClassId{*exact};
    const auto& same = notations_.of(truth);
    if (same.size() == 1) return ClassId{same.front()};
    return refuse_line(line, "the truth {} of item {} is not a class of the answers; expected {}",
                       in_quotes(truth), in_quotes(name), some_in_quotes(answers_.classes));
  }

  const FinishedAnswers& answers_;
  const std::vector<bool>& drawn_;
  NameTable items_, classes_;
  Notations notations_;
  std::vector<std::optional<ClassId>> truths_;
  std::vector<std::uint64_t> lines_;
};

}  // namespace

Result<std::vector<std::optional<ClassId>>> parse_verdicts(std::string_view text,
                                                           const FinishedAnswers& answers,
                                                           const std::vector<bool>& drawn) {
  auto rows = TRY(TableReader::open(text, {item_column(), truth_column()}));
  VerdictRows verdicts(answers, drawn);
  while (TRY(rows.next())) TRY(verdicts.read(rows.line(), rows.field(0), rows.field(1)));
  return std::move(verdicts).take();
}

}  // namespace allot::io
