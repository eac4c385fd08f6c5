#include <fmt/format.h>

#include <algorithm>

#include "allot/aggregate/registry.hpp"
#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/aggregate_text.hpp"
#include "cli/commands.hpp"

namespace allot::cli {
namespace {

using aggregate::MethodOptions;

/// Names from lists such as "majority,kos": each once, in the order given.
std::vector<std::string> method_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : split(list, ',')) {
      if (std::ranges::find(names, trim(name)) == names.end()) names.emplace_back(trim(name));
    }
  }
  return names;
}

Result<double> read_tolerance(const std::string& text) {
  const auto number = parse_number(text);
  if (number && *number >= 0) return *number;
  return fail(ErrorCode::invalid_argument,
              fmt::format("--tolerance {} is not a number from 0 on", in_quotes(text)));
}

/// Refuses an option that no chosen method knows.
Result<void> check_use(std::string_view option, const std::optional<std::string>& value,
                       const std::vector<std::string>& chosen,
                       const std::vector<std::string_view>& users) {
  const auto used = [&](const std::string& name) {
    return std::ranges::find(users, name) != users.end();
  };
  if (!value || std::ranges::any_of(chosen, used)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} {} is of no use to {}; expected with it {}", option,
                          in_quotes(*value), fmt::join(chosen, ", "), fmt::join(users, " or ")));
}

Result<void> check_uses(const AggregateOptions& options, const std::vector<std::string>& chosen) {
  return check_use("--prior", options.prior, chosen, {"posterior"})
      .and_then([&] { return check_use("--seed", options.seed, chosen, {"kos"}); })
      .and_then([&] {
        return check_use("--iterations", options.iterations, chosen,
                         {"one-coin", "dawid-skene", "kos"});
      })
      .and_then([&] {
        return check_use("--tolerance", options.tolerance, chosen, {"one-coin", "dawid-skene"});
      });
}

/// Files are written for one method, and standard output holds one thing.
Result<void> check_outputs(const AggregateOptions& options, std::size_t methods) {
  const auto& named = options.output ? options.output : options.workers_output;
  if (named && methods > 1) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} {} is for one method, --method names {}; expected one of them",
                    options.output ? "--output" : "--workers-output", in_quotes(*named), methods));
  }
  if (options.output && options.output == options.workers_output) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--output and --workers-output are both {}; expected two files",
                            in_quotes(*options.output)));
  }
  return {};
}

template <typename Target, typename Value>
Result<void> store(Target& target, const Result<Value>& value) {
  if (!value) return tl::unexpected(value.error());
  target = static_cast<Target>(*value);
  return {};
}

Result<MethodOptions> read_method_options(const AggregateOptions& options) {
  MethodOptions result;
  Result<void> done;
  if (options.prior)
    done = store(result.prior, in_option("--prior", io::parse_prior(*options.prior)));
  if (done && options.seed)
    done = store(result.kos.seed, read_whole("--seed", *options.seed, 0, UINT64_MAX));
  if (done && options.iterations) {
    const auto count = read_whole("--iterations", *options.iterations, 1, 1'000'000);
    done = store(result.em.most_iterations, count);
    if (count) result.kos.rounds = result.em.most_iterations;
  }
  if (done && options.tolerance)
    done = store(result.em.tolerance, read_tolerance(*options.tolerance));
  if (!done) return tl::unexpected(done.error());
  return result;
}

/// The same result; a refusal says in which file.
template <typename T>
Result<T> in_file(const std::string& path, Result<T> result) {
  return in_option(path == "-" ? "standard input" : path, std::move(result));
}

Result<AggregateReport> read_files(const AggregateOptions& options, io::Duplicates duplicates) {
  AggregateReport report;
  const auto labels = io::read_text_file(options.labels);
  if (!labels) return tl::unexpected(labels.error());
  auto file = in_file(options.labels, io::parse_labels(*labels, duplicates));
  if (!file) return tl::unexpected(file.error());
  report.file = *std::move(file);
  if (!options.truth) return report;
  const auto text = in_option("--truth", io::read_text_file(*options.truth));
  if (!text) return tl::unexpected(text.error());
  auto truth = in_file(*options.truth, io::parse_truth(*text, report.file));
  if (!truth) return tl::unexpected(truth.error());
  report.truth = *std::move(truth);
  return report;
}

Result<AggregateReport> make_report(const AggregateOptions& options) {
  const std::vector<std::string> names = method_names(options.methods);
  const auto method_options = read_method_options(options);
  if (!method_options) return tl::unexpected(method_options.error());
  std::vector<aggregate::Method> methods;
  for (const std::string& name : names) {
    const auto method = in_option("--method", aggregate::make_method(name, *method_options));
    if (!method) return tl::unexpected(method.error());
    methods.push_back(*method);
  }
  const auto sensible =
      check_uses(options, names).and_then([&] { return check_outputs(options, names.size()); });
  if (!sensible) return tl::unexpected(sensible.error());
  const auto duplicates = read_duplicates(options.duplicates);
  if (!duplicates) return tl::unexpected(duplicates.error());
  auto report = read_files(options, *duplicates);
  for (std::size_t i = 0; report && i < methods.size(); ++i) {
    auto aggregation = methods[i](report->file.set);
    if (!aggregation) return tl::unexpected(aggregation.error());
    report->results.push_back({names[i], *std::move(aggregation)});
  }
  return report;
}

/// Writes the files; what takes the place of the summary on standard output, if anything.
std::optional<std::string> write_files(const AggregateOptions& options,
                                       const AggregateReport& report) {
  std::optional<std::string> printed;
  const auto write = [&](const std::optional<std::string>& path, auto make) {
    if (!path) return;
    std::string text = make(report.file, report.results.front().aggregation);
    if (*path == "-") {
      printed = std::move(text);
    } else {
      io::write_text_file(*path, text);
    }
  };
  write(options.output, answers_csv);
  write(options.workers_output, workers_csv);
  return printed;
}

}  // namespace

Result<std::string> aggregate(const AggregateOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  return make_report(options).map([&](const AggregateReport& report) {
    const auto printed = write_files(options, report);
    return printed ? *printed : summary_text(report, *format);
  });
}

}  // namespace allot::cli
