#include "allot/io/answer_file.hpp"

#include "base/try.hpp"
#include "io/label_readers.hpp"

namespace allot::io {

Result<AnswerFile> parse_answers(std::string_view text, LabelReading reading) {
  reading.prefer_own_names = true;
  LabelSink sink(reading);
  TRY(read_any_labels(text, reading, sink));
  AnswerFile file;
  file.left_out = sink.left_out;
  file.rows.reserve(sink.labels.size());
  for (std::size_t n = 0; n < sink.labels.size(); ++n) {
    const auto& [item, worker, label] = sink.labels[n];
    file.rows.push_back({sink.items.names()[position(item)], sink.workers.names()[position(worker)],
                         sink.classes.names()[position(label)], sink.lines[n]});
    if (n < sink.confidences.size() && model::has_confidence(sink.confidences[n]))
      file.rows.back().confidence = sink.confidences[n];
  }
  return file;
}

}  // namespace allot::io
