#include "allot/policy/exact.hpp"
#include "policy/dp_form.hpp"

namespace allot::policy {
namespace {

class DpPolicy final : public Policy {
 public:
  explicit DpPolicy(TieBreak ties) : ties_(ties) {}

  std::string name() const override { return "dp"; }
  bool has(Form form) const override {
    return form == Form::items || form == Form::multiclass_items;
  }
  bool depends_on_budget() const override { return true; }
  bool plans_ahead() const override { return true; }
  Result<std::unique_ptr<Chooser>> start(const model::Beliefs& beliefs,
                                         std::uint64_t budget) const override {
    return binary_(beliefs, budget, ties_);
  }
  Result<std::unique_ptr<Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                         std::uint64_t budget) const override {
    return multiclass_(beliefs, budget, ties_);
  }

 private:
  const TieBreak ties_;
  const DpForm<model::Beliefs> binary_ = binary_dp_form();
  const DpForm<model::MulticlassBeliefs> multiclass_ = multiclass_dp_form();
};

}  // namespace

std::shared_ptr<const Policy> dp_policy(TieBreak ties) { return std::make_shared<DpPolicy>(ties); }

}  // namespace allot::policy
