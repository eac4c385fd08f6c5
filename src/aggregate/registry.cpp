#include "allot/aggregate/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/aggregate/majority.hpp"
#include "allot/aggregate/posterior.hpp"
#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

using model::LabelSet;

struct NamedMethod {
  std::string_view name;
  Result<Aggregation> (*run)(const LabelSet& labels, const MethodOptions& how);
};

constexpr std::string_view kContextual = "contextual";

constexpr NamedMethod kMethods[] = {
    {"pooled",
     [](const LabelSet& labels, const MethodOptions& how) {
       // Of one class there is nothing to learn, and every vote is for it.
       if (labels.class_count == 1) return majority(labels);
       PooledOptions options = how.pooled;
       options.design = how.design;
       return pooled(labels, options);
     }},
    {"majority", [](const LabelSet& labels, const MethodOptions&) { return majority(labels); }},
    {"posterior",
     [](const LabelSet& labels, const MethodOptions& how) {
       if (how.class_prior) return posterior(labels, *how.class_prior);
       const bool uniform = how.prior == model::Prior::uniform();
       return uniform ? posterior(labels) : posterior(labels, how.prior);
     }},
    {"one-coin",
     [](const LabelSet& labels, const MethodOptions& how) { return one_coin(labels, how.em); }},
    {"dawid-skene",
     [](const LabelSet& labels, const MethodOptions& how) { return dawid_skene(labels, how.em); }},
    {"kos", [](const LabelSet& labels, const MethodOptions& how) { return kos(labels, how.kos); }},
    {kContextual,
     [](const LabelSet& labels, const MethodOptions& how) {
       return contextual(labels, how.design, how.contextual);
     }},
};

}  // namespace

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const NamedMethod& method : kMethods) names.push_back(method.name);
  return names;
}

Result<void> check_method_name(std::string_view name) {
  const auto names = method_names();
  if (std::ranges::find(names, name) != names.end()) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("method {} is unknown{}; expected {}", in_quotes(name),
                          suggestion(name, names), fmt::join(names, ", ")));
}

Result<Method> make_method(std::string_view name, const MethodOptions& options) {
  TRY(check_method_name(name));
  if (name == kContextual && !options.design) {
    return fail(ErrorCode::invalid_argument,
                "method 'contextual' has no features; expected --features FILE, or another method "
                "such as dawid-skene");
  }
  return [run = std::ranges::find(kMethods, name, &NamedMethod::name)->run,
          how = options](const LabelSet& labels) { return run(labels, how); };
}

Result<SeededMethod> make_seeded_method(std::string_view name, const MethodOptions& options) {
  TRY(make_method(name, options));
  return [name = std::string(name), how = options](const LabelSet& labels, std::uint64_t seed) {
    MethodOptions seeded = how;
    seeded.kos.seed = seed;
    return make_method(name, seeded).value()(labels);
  };
}

}  // namespace allot::aggregate
