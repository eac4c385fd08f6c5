// Every method by its name, as written on the command line.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/contextual.hpp"
#include "allot/aggregate/em.hpp"
#include "allot/aggregate/kos.hpp"
#include "allot/aggregate/pooled.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// A method: turns a label set into an aggregation.
using Method = std::function<Result<Aggregation>(const model::LabelSet&)>;

/// A method that takes the seed of its random numbers at each call.
using SeededMethod = std::function<Result<Aggregation>(const model::LabelSet&, std::uint64_t seed)>;

/// Settings of all methods; each method reads its own.
struct MethodOptions {
  EmOptions em;        ///< one-coin, dawid-skene
  KosOptions kos;      ///< kos
  model::Prior prior;  ///< posterior of two classes; with more it must be uniform
  /// posterior: replaces the prior above; it must have as many classes as the labels.
  std::optional<model::DirichletPrior> class_prior = {};
  /// pooled, contextual: the features, one row per item of the labels.
  std::shared_ptr<const model::Design> design = nullptr;
  /// contextual: its settings.
  ContextualOptions contextual = {};
  /// pooled: its settings; the features above replace those in them.
  PooledOptions pooled = {};
};

/// pooled, majority, posterior, one-coin, dawid-skene, kos, contextual.
std::vector<std::string_view> method_names();

/// Refuses an unknown name; the message lists the known ones.
Result<void> check_method_name(std::string_view name);

/// The method with this name. Refuses unknown names, and contextual without a design.
Result<Method> make_method(std::string_view name, const MethodOptions& options = {});

/// The method with this name; the seed of kos comes with each call.
Result<SeededMethod> make_seeded_method(std::string_view name, const MethodOptions& options = {});

}  // namespace allot::aggregate
