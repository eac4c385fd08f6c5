#include "bindings/plugins.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <variant>

#include "allot/base/rng.hpp"
#include "allot/model/belief.hpp"
#include "allot/model/crowd.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/policy/offers.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"
#include "bindings/arrays.hpp"
#include "bindings/module.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;
using policy::Form;
using policy::Pair;

/// What a policy may look at for one decision. Arrays are copies; the rest is valid during the
/// call.
struct PolicyState {
  py::array_t<double> probabilities;    // per item and class
  py::array_t<std::uint32_t> labels;    // per item, so far
  py::array_t<bool> open;               // whether the item can be asked
  py::object reliability = py::none();  // per worker, where workers differ
  std::optional<std::uint32_t> worker = {};
  Rng* rng = nullptr;                      // during the call only
  const policy::Offers* offers = nullptr;  // during the call only, where workers differ

  double random() const {
    if (!rng) throw std::invalid_argument("the state is valid during the call only");
    return uniform(*rng);
  }
  std::vector<std::uint32_t> workers_for(std::uint32_t item) const {
    if (!rng || !offers)
      throw std::invalid_argument("workers_for needs workers who differ, during the call");
    std::vector<std::uint32_t> open_workers;
    for (std::uint32_t j = 0; j < offers->worker_count(); ++j) {
      if (item < offers->item_count() && offers->is_open({ItemId{item}, WorkerId{j}}))
        open_workers.push_back(j);
    }
    return open_workers;
  }
};

/// The call of a policy: checks what it returns.
class PolicyCall {
 public:
  PolicyCall(std::string name, const py::function& choose)
      : name_(std::move(name)), choose_(choose) {}

  /// The item, and the worker if the policy named one. Needs the interpreter lock.
  std::pair<std::uint32_t, std::optional<std::uint32_t>> operator()(
      const std::shared_ptr<PolicyState>& given, Rng& rng) const {
    const py::object chosen = call(given, rng);
    const PolicyState& state = *given;
    if (py::isinstance<py::tuple>(chosen) && py::len(chosen) == 2) {
      const auto pair = chosen.cast<py::tuple>();
      return {number(pair[0], state), whole(pair[1])};
    }
    const bool is_array = py::isinstance<py::array>(chosen) && chosen.cast<py::array>().ndim() == 1;
    if (is_array || py::isinstance<py::list>(chosen))
      return {largest(numbers(chosen), state, rng), {}};
    return {number(chosen, state), {}};
  }

  const std::string& name() const { return name_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw py::value_error("policy '" + name_ + "' " + what);
  }

 private:
  /// What the function returns. It may keep the state, but not what the state points to.
  py::object call(const std::shared_ptr<PolicyState>& state, Rng& rng) const {
    struct Ended {
      PolicyState& state;
      ~Ended() {
        state.rng = nullptr;
        state.offers = nullptr;
      }
    };
    state->rng = &rng;
    const Ended ended{*state};
    return choose_(state);
  }

  /// The value as Python writes it, cut to a line.
  static std::string shown(const py::handle& value) {
    constexpr std::size_t kMost = 60;
    const std::string text = py::str(py::repr(value).attr("__getitem__")(py::slice(0, kMost, 1)));
    return text.size() < kMost ? text : text + "...";
  }

  std::uint32_t whole(const py::handle& value) const {
    if (!PyIndex_Check(value.ptr())) {
      refuse("returned " + shown(value) +
             "; expected the number of an item, (item, worker), or one value per item");
    }
    const auto index = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
    const long long found = PyLong_AsLongLong(index.ptr());
    if (found < 0 || found > std::numeric_limits<std::uint32_t>::max()) {
      PyErr_Clear();
      refuse("returned " + py::repr(value).cast<std::string>() + "; expected a number from 0 on");
    }
    return static_cast<std::uint32_t>(found);
  }

  std::uint32_t number(const py::handle& value, const PolicyState& state) const {
    const std::uint32_t item = whole(value);
    if (item >= static_cast<std::uint32_t>(state.open.size()) || !state.open.data()[item])
      refuse("returned item " + std::to_string(item) +
             ", which cannot be asked; expected an open one");
    return item;
  }

  /// One value per item.
  py::array_t<double, py::array::forcecast> numbers(const py::object& values) const {
    auto found = py::array_t<double, py::array::forcecast>::ensure(values);
    PyErr_Clear();
    if (!found || found.ndim() != 1)
      refuse("returned values that are not numbers; expected one number per item");
    return found;
  }

  /// The open item with the largest value; ties are drawn.
  std::uint32_t largest(const py::array_t<double, py::array::forcecast>& values,
                        const PolicyState& state, Rng& rng) const {
    if (values.size() != state.open.size()) {
      refuse("returned " + std::to_string(values.size()) + " values; expected one per item, " +
             std::to_string(state.open.size()));
    }
    std::vector<std::uint32_t> best;
    double most = -std::numeric_limits<double>::infinity();
    for (py::ssize_t i = 0; i < values.size(); ++i) {
      if (!state.open.data()[i]) continue;
      const double value = values.data()[i];
      if (std::isnan(value))
        refuse("returned NaN for item " + std::to_string(i) + "; expected a number");
      if (value < most) continue;
      if (value > most) best.clear();
      most = value;
      best.push_back(static_cast<std::uint32_t>(i));
    }
    return best[below(rng, best.size())];
  }

  std::string name_;
  const py::function& choose_;
};

/// Probabilities and labels of items whose workers are alike, kept up to date item by item.
class ItemTable {
 public:
  ItemTable(std::uint32_t items, std::uint32_t classes)
      : classes_(classes),
        probabilities_(std::size_t{items} * classes),
        labels_(items),
        open_(items, 1) {}

  void set(ItemId item, std::span<const double> probabilities, std::uint32_t labels) {
    std::ranges::copy(probabilities,
                      probabilities_.begin() + std::ptrdiff_t{position(item)} * classes_);
    labels_[position(item)] = labels;
  }
  void set_open(ItemId item, bool open) { open_[position(item)] = open; }

  /// Needs the interpreter lock.
  std::shared_ptr<PolicyState> state() const {
    const auto items = static_cast<py::ssize_t>(labels_.size());
    auto state = std::make_shared<PolicyState>(
        PolicyState{to_array(std::span<const double>(probabilities_),
                             {items, static_cast<py::ssize_t>(classes_)}),
                    to_array(labels_), py::array_t<bool>(items)});
    std::ranges::copy(open_, state->open.mutable_data());
    return state;
  }

 private:
  std::uint32_t classes_;
  std::vector<double> probabilities_;
  std::vector<std::uint32_t> labels_;
  std::vector<char> open_;
};

void read_item(const model::Beliefs& beliefs, ItemId item, ItemTable& table) {
  const double positive = model::prob_positive(beliefs[item]);
  table.set(item, std::array{1 - positive, positive}, beliefs.counts(item).total());
}

void read_item(const model::MulticlassBeliefs& beliefs, ItemId item, ItemTable& table) {
  std::uint32_t labels = 0;
  for (const std::uint32_t count : beliefs.counts(item)) labels += count;
  table.set(item, model::class_probabilities(beliefs[item]), labels);
}

std::uint32_t class_count(const model::Beliefs&) { return 2; }
std::uint32_t class_count(const model::MulticlassBeliefs& beliefs) { return beliefs.class_count(); }

/// Choices among items of workers who are alike.
template <typename Beliefs>
class ItemChooser : public policy::Chooser {
 public:
  ItemChooser(const PolicyCall& call, const Beliefs& beliefs)
      : call_(call), beliefs_(beliefs), table_(beliefs.item_count(), class_count(beliefs)) {
    for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) read_item(beliefs_, ItemId{i}, table_);
  }

  ItemId choose(Rng& rng) override {
    const py::gil_scoped_acquire locked;
    return ItemId{call_(table_.state(), rng).first};
  }
  void refresh(ItemId item) override { read_item(beliefs_, item, table_); }
  void exclude(ItemId item) override { table_.set_open(item, false); }

 private:
  const PolicyCall& call_;
  const Beliefs& beliefs_;
  ItemTable table_;
};

/// Choices among pairs of item and worker.
class PythonPairChooser : public policy::PairChooser {
 public:
  PythonPairChooser(const PolicyCall& call, const model::Crowd& crowd, const policy::Offers& offers)
      : call_(call),
        crowd_(crowd),
        offers_(offers),
        table_(crowd.item_count(), crowd.class_count()) {
    read_all();
  }

  std::optional<Pair> choose(Rng& rng) override {
    for (std::uint32_t i = 0; i < offers_.item_count(); ++i)
      table_.set_open(ItemId{i}, !open_workers(ItemId{i}).empty());
    const auto [item, worker] = call(std::nullopt, rng);
    if (!item) return {};
    const auto workers = open_workers(*item);
    if (!worker) return Pair{*item, workers[below(rng, workers.size())]};
    if (std::ranges::find(workers, *worker) == workers.end()) {
      const py::gil_scoped_acquire locked;
      call_.refuse("returned worker " + std::to_string(position(*worker)) + " for item " +
                   std::to_string(position(*item)) + "; expected one of state.workers_for(item)");
    }
    return Pair{*item, *worker};
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    for (std::uint32_t i = 0; i < offers_.item_count(); ++i)
      table_.set_open(ItemId{i}, offers_.is_open({ItemId{i}, worker}));
    return call(worker, rng).first;
  }

  void refresh(const Pair& asked, bool all) override { all ? read_all() : read(asked.item); }
  void exclude(ItemId) override {}
  void exclude(WorkerId) override {}
  void update(ItemId) override {}
  void grow() override {}
  double value(const Pair&) const override { return 0; }

 private:
  using Choice = std::pair<std::optional<ItemId>, std::optional<WorkerId>>;

  Choice call(std::optional<WorkerId> worker, Rng& rng) {
    const py::gil_scoped_acquire locked;
    const auto state = table_.state();
    const bool* open = state->open.data();
    if (std::find(open, open + state->open.size(), true) == open + state->open.size()) return {};
    std::vector<double> reliability;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) {
      reliability.push_back(crowd_.reliability(WorkerId{j}, offers_.labels(WorkerId{j})).mean);
    }
    state->reliability = to_array(reliability);
    state->offers = &offers_;
    if (worker) state->worker = position(*worker);
    const auto [item, chosen] = call_(state, rng);
    return {ItemId{item}, chosen ? std::optional(WorkerId{*chosen}) : std::nullopt};
  }

  std::vector<WorkerId> open_workers(ItemId item) const {
    std::vector<WorkerId> workers;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j)
      if (offers_.is_open({item, WorkerId{j}})) workers.push_back(WorkerId{j});
    return workers;
  }

  void read(ItemId item) { table_.set(item, crowd_.probabilities(item), offers_.labels(item)); }
  void read_all() {
    for (std::uint32_t i = 0; i < crowd_.item_count(); ++i) read(ItemId{i});
  }

  const PolicyCall& call_;
  const model::Crowd& crowd_;
  const policy::Offers& offers_;
  ItemTable table_;
};

/// A Python function as a policy.
class PythonPolicy : public policy::Policy {
 public:
  PythonPolicy(std::string name, const py::function& choose) : call_(std::move(name), choose) {}

  std::string name() const override { return call_.name(); }
  bool has(Form form) const override { return form != Form::feature_items; }

  Result<std::unique_ptr<policy::Chooser>> start(const model::Beliefs& beliefs,
                                                 std::uint64_t) const override {
    return std::make_unique<ItemChooser<model::Beliefs>>(call_, beliefs);
  }
  Result<std::unique_ptr<policy::Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                                 std::uint64_t) const override {
    return std::make_unique<ItemChooser<model::MulticlassBeliefs>>(call_, beliefs);
  }
  std::unique_ptr<policy::PairChooser> start(const model::Crowd& crowd,
                                             const policy::Offers& offers) const override {
    return std::make_unique<PythonPairChooser>(call_, crowd, offers);
  }
  using Policy::start;

 private:
  PolicyCall call_;
};

/// Calls method(items, workers, labels, item count, class count, seed) -> (answers, probabilities).
aggregate::Aggregation call_method(const py::function& method, const model::LabelSet& labels,
                                   std::uint64_t seed) {
  const py::gil_scoped_acquire locked;
  const auto count = static_cast<py::ssize_t>(labels.labels.size());
  py::array_t<std::uint32_t> items(count), workers(count), classes(count);
  for (py::ssize_t n = 0; n < count; ++n) {
    const model::GivenLabel& given = labels.labels[static_cast<std::size_t>(n)];
    items.mutable_data()[n] = position(given.item);
    workers.mutable_data()[n] = position(given.worker);
    classes.mutable_data()[n] = position(given.label);
  }
  const auto found = method(items, workers, classes, labels.item_count, labels.class_count, seed)
                         .cast<py::tuple>();
  aggregate::Aggregation result;
  result.answers.class_count = labels.class_count;
  for (const auto answer : found[0].cast<std::vector<std::uint32_t>>()) {
    if (answer >= labels.class_count)
      throw py::value_error("an answer is not a class of the labels");
    result.answers.answers.push_back(ClassId{answer});
  }
  if (!found[1].is_none()) result.answers.probabilities = found[1].cast<std::vector<double>>();
  if (result.answers.answers.size() != labels.item_count)
    throw py::value_error("the method did not answer every item");
  return result;
}

}  // namespace

cli::Plugins PluginArguments::make() const {
  cli::Plugins plugins;
  for (const auto& [name, choose] : policies)
    plugins.policies.push_back(std::make_shared<PythonPolicy>(name, choose));
  for (const auto& [name, method] : methods) {
    plugins.methods.emplace_back(
        name, [&method = method](const model::LabelSet& labels, std::uint64_t seed) {
          return Result<aggregate::Aggregation>(call_method(method, labels, seed));
        });
  }
  return plugins;
}

void bind_plugins(py::module_& module) {
  py::class_<PluginArguments>(module, "Plugins")
      .def(py::init<>())
      .def_readwrite("policies", &PluginArguments::policies)
      .def_readwrite("methods", &PluginArguments::methods);
  py::class_<PolicyState, std::shared_ptr<PolicyState>>(
      module, "PolicyState",
      "What a policy may look at before it chooses the next label.\n\n"
      ">>> def least_certain(state):\n"
      "...     return -state.probabilities.max(axis=1)")
      .def_readonly("probabilities", &PolicyState::probabilities,
                    "Probability of each class, one row per item.")
      .def_readonly("labels", &PolicyState::labels, "Number of labels of each item.")
      .def_readonly("open", &PolicyState::open, "Whether each item can be asked.")
      .def_readonly("reliability", &PolicyState::reliability,
                    "Expected reliability of each worker; None where workers are alike.")
      .def_readonly("worker", &PolicyState::worker,
                    "Number of the worker who waits; None if the policy chooses the worker.")
      .def("random", &PolicyState::random, "A random number in [0, 1), from the seed of the run.")
      .def("workers_for", &PolicyState::workers_for, py::arg("item"),
           "Numbers of the workers who can be asked about the item.");
}

}  // namespace allot::python
