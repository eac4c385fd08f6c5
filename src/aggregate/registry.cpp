#include "allot/aggregate/registry.hpp"

#include <fmt/format.h>

#include "allot/aggregate/dawid_skene.hpp"
#include "allot/aggregate/majority.hpp"
#include "allot/aggregate/one_coin.hpp"
#include "allot/aggregate/posterior.hpp"
#include "allot/base/text.hpp"

namespace allot::aggregate {
namespace {

using model::LabelSet;

struct NamedMethod {
  std::string_view name;
  Method (*make)(const MethodOptions& options);
};

constexpr NamedMethod kMethods[] = {
    {"majority", [](const MethodOptions&) -> Method { return majority; }},
    {"posterior",
     [](const MethodOptions& options) -> Method {
       return [prior = options.prior](const LabelSet& labels) { return posterior(labels, prior); };
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
};

}  // namespace

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const NamedMethod& method : kMethods) names.push_back(method.name);
  return names;
}

Result<Method> make_method(std::string_view name, const MethodOptions& options) {
  for (const NamedMethod& method : kMethods) {
    if (method.name == name) return method.make(options);
  }
  const auto names = method_names();
  return fail(ErrorCode::invalid_argument,
              fmt::format("method {} is unknown{}; expected {}", in_quotes(name),
                          suggestion(name, names), fmt::join(names, ", ")));
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
