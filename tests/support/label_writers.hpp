// Labels written in the formats that allot reads (io/label_formats.hpp), as the tools write them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/json_text.hpp"
#include "io/json_object.hpp"
#include "io/row_text.hpp"

namespace allot::test {

struct WrittenLabel {
  std::string item, worker, label;

  auto operator<=>(const WrittenLabel&) const = default;
};
using WrittenLabels = std::vector<WrittenLabel>;

/// A field in quotes, which keep blanks and separators.
inline std::string quoted_cell(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

inline std::string written_table(const std::vector<std::vector<std::string>>& rows,
                                 char separator = ',') {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i == 0 ? "" : std::string(1, separator)) + quoted_cell(row[i]);
    text += "\n";
  }
  return text;
}

/// The labels of each item, in the order of first appearance.
inline std::vector<std::pair<std::string, WrittenLabels>> by_item(const WrittenLabels& labels) {
  std::vector<std::pair<std::string, WrittenLabels>> items;
  std::map<std::string, std::size_t> places;
  for (const WrittenLabel& label : labels) {
    const auto [place, is_new] = places.emplace(label.item, items.size());
    if (is_new) items.push_back({label.item, {}});
    items[place->second].second.push_back(label);
  }
  return items;
}

inline std::string as_csv(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{{"task", "worker", "label"}};
  for (const auto& [item, worker, label] : labels) rows.push_back({item, worker, label});
  return written_table(rows);
}

inline std::string as_snow(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{{"!amt_worker_ids", "orig_id", "response", "gold"}};
  for (const auto& [item, worker, label] : labels) rows.push_back({worker, item, label, ""});
  return written_table(rows, '\t');
}

inline std::string as_json_lines(const WrittenLabels& labels) {
  std::string text;
  for (const auto& [item, worker, label] : labels) {
    text += io::json_text(
                std::vector<io::JsonMember>{{"item", item}, {"worker", worker}, {"label", label}}) +
            "\n";
  }
  return text;
}

inline std::string as_mturk(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{
      {"HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.text", "Answer.class"}};
  for (const auto& [item, worker, label] : labels)
    rows.push_back({item, "x", worker, "Approved", "text", label});
  return written_table(rows);
}

inline std::string as_toloka(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{
      {"INPUT:text", "OUTPUT:class", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"}};
  for (const auto& [item, worker, label] : labels)
    rows.push_back({item, label, worker, "APPROVED"});
  return written_table(rows, '\t');
}

inline std::string as_label_studio_rows(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{
      {"text", "id", "sentiment", "annotator", "annotation_id"}};
  for (const auto& [item, worker, label] : labels)
    rows.push_back({"text", item, label, worker, "7"});
  return written_table(rows);
}

inline std::string as_label_studio(const WrittenLabels& labels) {
  std::string text = "[";
  for (const auto& [item, given] : by_item(labels)) {
    if (text.size() > 1) text += ",\n";
    text += "{\"id\": " + json_string(item) + ", \"data\": {\"text\": \"t\"}, \"annotations\": [";
    for (std::size_t n = 0; n < given.size(); ++n) {
      text += std::string(n == 0 ? "" : ", ") +
              "{\"id\": 1, \"was_cancelled\": false, \"completed_by\": {\"id\": 3, \"email\": " +
              json_string(given[n].worker) +
              "}, \"result\": [{\"from_name\": \"class\", \"to_name\": \"text\", \"type\": "
              "\"choices\", \"value\": {\"choices\": [" +
              json_string(given[n].label) + "]}}]}";
    }
    text += "]}";
  }
  return text + "]\n";
}

inline std::string as_argilla(const WrittenLabels& labels) {
  std::string text = "[";
  for (const auto& [item, given] : by_item(labels)) {
    if (text.size() > 1) text += ", ";
    text += "{\"id\": " + json_string(item) +
            ", \"fields\": {\"text\": \"t\"}, \"responses\": {\"class\": [";
    for (std::size_t n = 0; n < given.size(); ++n) {
      text += std::string(n == 0 ? "" : ", ") + "{\"value\": " + json_string(given[n].label) +
              ", \"user_id\": " + json_string(given[n].worker) + "}";
    }
    text += "]}}";
  }
  return text + "]";
}

inline std::string as_prodigy(const WrittenLabels& labels) {
  std::string text;
  for (const auto& [item, worker, label] : labels) {
    text += "{\"_input_hash\": " + json_string(item) + ", \"accept\": [" + json_string(label) +
            "], \"answer\": \"accept\", \"_annotator_id\": " + json_string(worker) + "}\n";
  }
  return text;
}

inline std::string as_doccano(const WrittenLabels& labels) {
  std::string text;
  for (const auto& [item, worker, label] : labels) {
    text += "{\"id\": " + json_string(item) + ", \"text\": \"t\", \"label\": [" +
            json_string(label) + "], \"user\": " + json_string(worker) + "}\n";
  }
  return text;
}

/// Labels must be whole numbers below 1000, and one worker must have left an item out.
inline std::string as_cleanlab(const WrittenLabels& labels) {
  std::vector<std::vector<std::string>> rows{{"task"}};
  std::map<std::string, std::size_t> workers;
  for (const WrittenLabel& label : labels) {
    if (workers.emplace(label.worker, workers.size() + 1).second)
      rows.front().push_back(label.worker);
  }
  for (const auto& [item, given] : by_item(labels)) {
    std::vector<std::string> row(rows.front().size());
    row.front() = item;
    for (const WrittenLabel& label : given) row[workers[label.worker]] = label.label + ".0";
    rows.push_back(row);
  }
  return written_table(rows);
}

/// A format by its name, and how labels are written in it.
struct LabelWriter {
  std::string name;
  std::string (*write)(const WrittenLabels&);
};

/// All formats whose labels can be any text.
inline std::vector<LabelWriter> text_writers() {
  return {{"csv", as_csv},
          {"json", as_json_lines},
          {"mturk", as_mturk},
          {"toloka", as_toloka},
          {"label-studio-min", as_label_studio_rows},
          {"label-studio", as_label_studio},
          {"argilla", as_argilla},
          {"prodigy", as_prodigy},
          {"doccano", as_doccano},
          {"snow", as_snow}};
}

}  // namespace allot::test
