// Readers of the formats of labels (io/label_formats.hpp), one per family of formats.
//
// Every reader walks over a clean text (UTF-8 without a byte-order mark) and adds its labels to a
// sink. Recognisers look at the beginning of a text only.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/label_sink.hpp"
#include "io/record_reader.hpp"

namespace allot::io {

/// The beginning of a text, as recognisers see it.
struct TextSample {
  /// The whole text.
  std::string_view text;
  /// Names of the columns; empty for JSON.
  std::vector<std::string> header = {};
  /// The first object; empty for tables.
  boost::json::object object = {};
  bool is_json = false;

  /// Whether a column has exactly this name.
  bool has_column(std::string_view name) const;
  /// Whether the name of any column begins so.
  bool has_prefix(std::string_view beginning) const;
};

/// Plain tables and flat JSON objects: item, worker and label.
Result<void> read_plain_labels(std::string_view text, const LabelReading& reading, LabelSink& sink);

/// Toloka's tables, without rejected assignments.
Result<void> read_toloka_labels(std::string_view text, const LabelReading& reading,
                                LabelSink& sink);
bool is_toloka(const TextSample& sample);

/// Label Studio's JSON_MIN and CSV, one row per annotation.
Result<void> read_annotation_rows(std::string_view text, const LabelReading& reading,
                                  LabelSink& sink);
bool is_annotation_rows(const TextSample& sample);

/// Batch results of Amazon Mechanical Turk, one row per assignment.
Result<void> read_mturk_labels(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_mturk(const TextSample& sample);

/// A matrix with one row per item and one column per worker, as cleanlab has it.
Result<void> read_wide_labels(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_wide(const TextSample& sample);

/// Tasks of Label Studio with their annotations.
Result<void> read_label_studio(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_label_studio(const TextSample& sample);

/// Records of Argilla with the responses of its users.
Result<void> read_argilla(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_argilla(const TextSample& sample);

/// Examples of Prodigy with an answer.
Result<void> read_prodigy(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_prodigy(const TextSample& sample);

/// Examples of doccano with a list of labels.
Result<void> read_doccano(std::string_view text, const LabelReading& reading, LabelSink& sink);
bool is_doccano(const TextSample& sample);

/// Whether both texts are the same word, ignoring the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

/// The columns of item, worker and label, with the options that name them.
const WantedColumn& item_of_labels();
const WantedColumn& worker_of_labels();
const WantedColumn& label_of_labels();

/// Reads a text of any format into the sink; returns the name of the format.
Result<std::string_view> read_any_labels(std::string_view text, const LabelReading& reading,
                                         LabelSink& sink);

}  // namespace allot::io
