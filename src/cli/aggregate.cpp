#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "allot/aggregate/registry.hpp"
#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/aggregate_text.hpp"
#include "cli/commands.hpp"
#include "cli/label_files.hpp"

namespace allot::cli {
namespace {

using aggregate::MethodOptions;

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

/// Whether both name the same file, by whatever path.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  return std::filesystem::equivalent(one, other, unknown);
}

/// Labels are dear: what is read is not written over.
Result<void> check_inputs_stay(const AggregateOptions& options) {
  const std::array outputs{std::pair{"--output", &options.output},
                           std::pair{"--workers-output", &options.workers_output}};
  const LabelFlags& files = options.files;
  for (const auto& [option, path] : outputs) {
    if (!*path || **path == "-") continue;
    const bool reads_it =
        same_file(**path, files.labels) || (files.truth && same_file(**path, *files.truth));
    if (!reads_it) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} {} would write over a file that is read; expected another one",
                            option, in_quotes(**path)));
  }
  return {};
}

/// Files are written for one method where they can be, and standard output holds one thing.
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
  if (const auto stay = check_inputs_stay(options); !stay) return stay;
  const auto check = [](std::string_view option, const std::optional<std::string>& path) {
    return path ? in_option(option, io::check_writable(*path)) : Result<void>();
  };
  return check("--output", options.output).and_then([&] {
    return check("--workers-output", options.workers_output);
  });
}

Result<MethodOptions> read_method_options(const AggregateOptions& options) {
  MethodOptions result;
  Reader read;
  const auto read_if = [&](auto& target, const std::optional<std::string>& text, auto parse) {
    return !text || read(target, parse(*text));
  };
  const bool ok =
      read_if(result.prior, options.prior,
              [](const auto& text) { return in_option("--prior", io::parse_prior(text)); }) &&
      read_if(result.kos.seed, options.seed,
              [](const auto& text) { return read_whole("--seed", text, 0, UINT64_MAX); }) &&
      read_if(result.em.most_iterations, options.iterations,
              [](const auto& text) { return read_whole("--iterations", text, 1, 1'000'000); }) &&
      read_if(result.em.tolerance, options.tolerance, read_tolerance);
  if (!ok) return tl::unexpected(read.error());
  if (options.iterations) result.kos.rounds = result.em.most_iterations;
  return result;
}

Result<AggregateReport> make_report(const AggregateOptions& options) {
  const std::vector<std::string> names = read_names(options.methods);
  const auto method_options = read_method_options(options);
  if (!method_options) return tl::unexpected(method_options.error());
  std::vector<aggregate::Method> methods;
  for (const std::string& name : names) {
    const auto method = in_option("--method", aggregate::make_method(name, *method_options));
    if (!method) return tl::unexpected(method.error());
    methods.push_back(*method);
  }
  const auto rules = read_label_rules(options.files);
  if (!rules) return tl::unexpected(rules.error());
  const auto sensible =
      check_uses(options, names).and_then([&] { return check_outputs(options, names.size()); });
  if (!sensible) return tl::unexpected(sensible.error());
  auto files = read_label_files(options.files, *rules);
  if (!files) return tl::unexpected(files.error());
  AggregateReport report{
      std::move(files->labels), std::move(files->truth), {}, std::move(files->notes)};
  for (std::size_t i = 0; i < methods.size(); ++i) {
    auto aggregation = methods[i](report.file.set);
    if (!aggregation) return tl::unexpected(aggregation.error());
    report.results.push_back({names[i], *std::move(aggregation)});
  }
  return report;
}

/// The summary, unless a file that goes to standard output takes its place.
Output output_of(const AggregateReport& report, const AggregateOptions& options, Format format) {
  Output output{summary_text(report, format), {}, report.notes};
  const auto add = [&](const std::optional<std::string>& path, auto make) {
    if (!path) return;
    std::string text = make(report.file, report.results.front().aggregation);
    if (*path == "-") {
      output.text = std::move(text);
    } else {
      output.files.push_back({*path, std::move(text)});
    }
  };
  add(options.output, answers_csv);
  add(options.workers_output, workers_csv);
  return output;
}

}  // namespace

Result<Output> aggregate(const AggregateOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  return make_report(options).map(
      [&](const AggregateReport& report) { return output_of(report, options, *format); });
}

}  // namespace allot::cli
