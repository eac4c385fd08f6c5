// Every method by its name, as written on the command line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/contextual.hpp"
#include "allot/aggregate/em_options.hpp"
#include "allot/aggregate/kos.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

using Method = std::function<Result<Aggregation>(const model::LabelSet&)>;

/// A method that is told at each call where its random numbers start.
using SeededMethod = std::function<Result<Aggregation>(const model::LabelSet&, std::uint64_t seed)>;

struct MethodOptions {
  EmOptions em;        // one-coin, dawid-skene
  KosOptions kos;      // kos
  model::Prior prior;  // posterior, of two classes; of several it must be uniform
  /// posterior, in place of the prior above: of as many classes as the labels have.
  std::optional<model::DirichletPrior> class_prior = {};
  /// contextual: a row for every item of the labels.
  std::shared_ptr<const model::Design> design = nullptr;
  ContextualOptions contextual = {};
};

/// majority, posterior, one-coin, dawid-skene, kos, contextual.
std::vector<std::string_view> method_names();

/// Refuses a name that is not known and says which are.
Result<void> check_method_name(std::string_view name);

/// The same; and refuses contextual without a design.
Result<Method> make_method(std::string_view name, const MethodOptions& options = {});

/// The same; the seed of kos comes with each call.
Result<SeededMethod> make_seeded_method(std::string_view name, const MethodOptions& options = {});

}  // namespace allot::aggregate
