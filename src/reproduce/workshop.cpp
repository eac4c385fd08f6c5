#include "reproduce/workshop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"

namespace allot::reproduce {
namespace {

namespace fs = std::filesystem;

/// Raise this when the same settings no longer give the same numbers.
constexpr int kEdition = 1;

/// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

/// The first line of a part's file: everything its numbers depend on.
std::string mark(const Order& order, const Study& study, const Part& part) {
  std::string parameters;
  for (const auto& [name, value] : study.parameters) parameters += name + "=" + value + ";";
  const std::string chance =
      study.random ? fmt::format(", runs {}, seed {}", order.settings.runs, order.settings.seed)
                   : "";
  const std::string data = study.needs_rte ? fmt::format(", data {:x}", order.data_mark) : "";
  return fmt::format("# allot {} edition {}, {} {}{}{}, parameters {:x}", order.version, kEdition,
                     study.label, part.name, chance, data, hash(parameters));
}

constexpr std::string_view kTable = "# table ";

std::string part_text(const std::string& mark, const Tables& tables) {
  std::string text = mark + "\n";
  for (const auto& [name, data] : tables) text += fmt::format("{}{}\n{}", kTable, name, data.csv());
  return text;
}

/// The tables in the file; nothing if they have other settings.
std::optional<Tables> tables_of(std::string_view text, const std::string& mark) {
  const auto take_line = [&] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  if (take_line() != mark) return {};
  Tables tables;
  while (!text.empty()) {
    const std::string_view heading = take_line();
    if (!heading.starts_with(kTable)) return {};
    const std::size_t next = text.find("\n# table");
    const std::size_t length = next == std::string_view::npos ? text.size() : next + 1;
    auto data = Data::from_csv(text.substr(0, length));
    if (!data) return {};
    tables.emplace(std::string(heading.substr(kTable.size())), *std::move(data));
    text.remove_prefix(length);
  }
  return tables;
}

std::string picture_file(const Study& study, const Picture& picture) {
  return file_name(study) + picture.suffix + ".svg";
}

class Workshop {
 public:
  Workshop(const Order& order, Progress& progress) : order_(order), progress_(progress) {}

  Result<std::vector<Outcome>> work() {
    TRY(prepare());
    for (const Study& study : studies()) outcomes_.push_back(look_up(study));
    progress_.total = expected();
    for (Outcome& outcome : outcomes_) {
      if (outcome.state == State::made) TRY(make_study(outcome));
    }
    TRY(write_all());
    return std::move(outcomes_);
  }

 private:
  std::string path(const std::string& name) const {
    return (fs::path(order_.folder) / name).string();
  }
  std::string part_path(const Study& study, const Part& part) const {
    std::string name = part.name;
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return path(fmt::format("parts/{}-{}.txt", file_name(study), name));
  }

  Result<void> prepare() const {
    std::error_code trouble;
    fs::create_directories(path("parts"), trouble);
    if (trouble) {
      return fail(ErrorCode::write_failure,
                  fmt::format("'{}' cannot be made: {}", order_.folder, trouble.message()));
    }
    return io::check_writable(path("index.html"));
  }

  bool is_wanted(const Study& study) const {
    return std::ranges::find(order_.wanted, &study) != order_.wanted.end();
  }

  std::optional<Tables> kept(const Study& study, const Part& part) const {
    const auto text = io::read_text_file(part_path(study, part));
    return text ? tables_of(*text, mark(order_, study, part)) : std::nullopt;
  }

  /// The state of a study; `made` if there is work to do.
  Outcome look_up(const Study& study) const {
    if (study.needs_rte && !order_.settings.rte) return {&study, State::no_data};
    Outcome outcome{&study, State::kept};
    for (const Part& part : study.parts) {
      const auto there = kept(study, part);
      if (!there) return {&study, is_wanted(study) ? State::made : State::absent};
      join(outcome.tables, *there);
    }
    outcome.claims = judged_claims(study, outcome.tables, order_.settings.runs);
    return outcome;
  }

  double milliseconds(const Part& part) const {
    return part.milliseconds + part.milliseconds_a_run * order_.settings.runs;
  }

  std::uint64_t expected() const {
    double all = 0;
    for (const Outcome& outcome : outcomes_) {
      if (outcome.state != State::made) continue;
      for (const Part& part : outcome.study->parts) all += milliseconds(part);
    }
    return static_cast<std::uint64_t>(all * 1000);
  }

  static void join(Tables& tables, const Tables& more) {
    for (const auto& [name, data] : more) tables[name].append(data);
  }

  Result<Tables> make_part(const Study& study, const Part& part) const {
    Meter meter(progress_, milliseconds(part));
    if (auto there = kept(study, part)) return *std::move(there);
    const std::string mark = reproduce::mark(order_, study, part),
                      text = part_text(mark, TRY(part.compute(order_.settings, meter)));
    TRY(io::write_text_file(part_path(study, part), text));
    // Through text, so that the numbers are the same now and when they are read later.
    return tables_of(text, mark).value();
  }

  Result<void> make_study(Outcome& outcome) {
    for (const Part& part : outcome.study->parts)
      join(outcome.tables, TRY(make_part(*outcome.study, part)));
    outcome.claims = judged_claims(*outcome.study, outcome.tables, order_.settings.runs);
    return write_study(outcome);
  }

  Result<void> write(const std::string& name, const std::string& text) const {
    return io::write_text_file(path(name), text);
  }

  Result<void> write_study(const Outcome& outcome) const {
    for (const auto& [name, data] : outcome.tables)
      TRY(write(data_file(*outcome.study, name), data.csv()));
    if (!outcome.study->pictures) return {};
    for (const Picture& picture : outcome.study->pictures(outcome.tables))
      TRY(write(picture_file(*outcome.study, picture), figure::svg_text(picture.figure)));
    return {};
  }

  /// The page shows kept studies as well, so their files are written again.
  Result<void> write_all() const {
    for (const Outcome& outcome : outcomes_) {
      if (outcome.state == State::kept) TRY(write_study(outcome));
    }
    TRY(write("manifest.csv", manifest(order_, outcomes_).csv()));
    TRY(write("report.md", markdown_report(order_, outcomes_)));
    return write("index.html", html_report(order_, outcomes_));
  }

  const Order& order_;
  Progress& progress_;
  std::vector<Outcome> outcomes_;
};

}  // namespace

std::vector<std::string> picture_files(const Outcome& outcome) {
  std::vector<std::string> files;
  if (!outcome.study->pictures || outcome.tables.empty()) return files;
  for (const Picture& picture : outcome.study->pictures(outcome.tables))
    files.push_back(picture_file(*outcome.study, picture));
  return files;
}

std::vector<std::string> data_files(const Outcome& outcome) {
  std::vector<std::string> files;
  for (const auto& [name, data] : outcome.tables) files.push_back(data_file(*outcome.study, name));
  return files;
}

std::vector<std::string> files_of(const Outcome& outcome) {
  std::vector<std::string> files = picture_files(outcome);
  std::ranges::copy(data_files(outcome), std::back_inserter(files));
  return files;
}

Result<std::vector<Outcome>> make(const Order& order, Progress& progress) {
  return Workshop(order, progress).work();
}

}  // namespace allot::reproduce
