#include "allot/aggregate/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/aggregate/dawid_skene.hpp"
#include "allot/aggregate/majority.hpp"
#include "allot/aggregate/one_coin.hpp"
#include "allot/aggregate/posterior.hpp"
#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

using model::LabelSet;

struct NamedMethod {
  std::string_view name;
  Method (*make)(const MethodOptions& options);
};

constexpr std::string_view kContextual = "contextual";

constexpr NamedMethod kMethods[] = {
    {"majority", [](const MethodOptions&) -> Method { return majority; }},
    {"posterior",
     [](const MethodOptions& options) -> Method {
       return [prior = options.prior, several = options.class_prior](const LabelSet& labels) {
         if (several) return posterior(labels, *several);
         const bool uniform = prior == model::Prior::uniform();
         return uniform ? posterior(labels) : posterior(labels, prior);
       };
     }},
    {"one-coin",
     [](const MethodOptions& options) -> Method {
       return [em = options.em](const LabelSet& labels) { return one_coin(labels, em); };
     }},
    {"dawid-skene",
     [](const MethodOptions& options) -> Method {
       return [em = options.em](const LabelSet& labels) { return dawid_skene(labels, em); };
     }},
    {"kos",
     [](const MethodOptions& options) -> Method {
       return [how = options.kos](const LabelSet& labels) { return kos(labels, how); };
     }},
    {kContextual,
     [](const MethodOptions& options) -> Method {
       return [design = options.design, how = options.contextual](const LabelSet& labels) {
         return contextual(labels, design, how);
       };
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
  return std::ranges::find(kMethods, name, &NamedMethod::name)->make(options);
}

Result<SeededMethod> make_seeded_method(std::string_view name, const MethodOptions& options) {
  return make_method(name, options).map([&](const Method&) -> SeededMethod {
    return [name = std::string(name), how = options](const LabelSet& labels, std::uint64_t seed) {
      MethodOptions seeded = how;
      seeded.kos.seed = seed;
      return make_method(name, seeded).value()(labels);
    };
  });
}

}  // namespace allot::aggregate
