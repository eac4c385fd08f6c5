#include "cli/label_files.hpp"

#include "allot/io/text_file.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

/// The same result; a refusal says in which file.
template <typename T>
Result<T> in_file(const std::string& path, Result<T> result) {
  return in_option(file_name(path), std::move(result));
}

}  // namespace

std::string file_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<LabelFiles> read_label_files(const std::string& labels,
                                    const std::optional<std::string>& truth,
                                    io::Duplicates duplicates) {
  if (labels == "-" && truth == "-") {
    return fail(ErrorCode::invalid_argument,
                "--truth '-' is standard input, which holds the labels; expected another file");
  }
  const auto text = io::read_text_file(labels);
  if (!text) return tl::unexpected(text.error());
  auto file = in_file(labels, io::parse_labels(*text, duplicates));
  if (!file) return tl::unexpected(file.error());
  LabelFiles files{*std::move(file), std::nullopt};
  if (!truth) return files;
  const auto truth_text = in_option("--truth", io::read_text_file(*truth));
  if (!truth_text) return tl::unexpected(truth_text.error());
  auto known = in_file(*truth, io::parse_truth(*truth_text, files.labels));
  if (!known) return tl::unexpected(known.error());
  files.truth = *std::move(known);
  return files;
}

}  // namespace allot::cli
