#include "cli/feature_options.hpp"

#include <fmt/format.h>

#include "allot/io/feature_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"

namespace allot::cli {

void add_feature_options(Command& command, FeatureFlags& flags) {
  command.add("--features", &flags.features, "FILE",
              "Features of items: one row per item, one number in each other column");
  command.add("--no-standardise", &flags.no_standardise,
              "Use features as they are, not scaled to mean 0 and standard deviation 1");
  command.add("--no-intercept", &flags.no_intercept,
              "Leave out the feature that is 1 for every item");
  command
      .add("--feature-variance", &flags.variance, "V",
           "Prior variance of the weight of every feature")
      .by_default("1 / number of features");
}

Result<void> check_features(const FeatureFlags& flags) {
  if (flags.features) return {};
  const char* const useless = flags.no_standardise ? "--no-standardise"
                              : flags.no_intercept ? "--no-intercept"
                              : flags.variance     ? "--feature-variance"
                                                   : nullptr;
  if (!useless) return {};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} has no effect without features; expected --features FILE with it", useless));
}

Result<double> read_feature_variance(const FeatureFlags& flags) {
  if (!flags.variance) return 0;
  const auto number = parse_number(*flags.variance);
  if (number && *number >= 1e-9 && *number <= 1e9) return *number;
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("--feature-variance {} is out of range; expected a number from 1e-9 to 1e9",
                  in_quotes(*flags.variance)));
}

Result<NotedDesign> read_design(const FeatureFlags& flags, io::LabelFile& labels) {
  const std::string& path = *flags.features;
  const auto text = TRY(in_option("--features", io::read_text_file(path)));
  const auto file = TRY(in_file(path, io::parse_features(text, labels)));
  const model::FeatureOptions options{!flags.no_standardise, !flags.no_intercept};
  auto design = TRY(in_file(path, model::prepare(file.features, options)));
  io::append_items(labels, file.unlabelled);
  const std::string note = design.note();
  return NotedDesign{std::make_shared<const model::Design>(std::move(design)),
                     note.empty() ? note : fmt::format("{}: {}", file_name(path), note)};
}

}  // namespace allot::cli
