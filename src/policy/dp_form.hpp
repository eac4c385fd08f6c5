// Dynamic programming as a policy, form by form: exact.cpp and multiclass_exact.cpp make theirs.
#pragma once

#include <functional>

#include "allot/policy/policy.hpp"

namespace allot::policy {

template <typename Beliefs>
using DpForm = std::function<Result<std::unique_ptr<Chooser>>(const Beliefs&, std::uint64_t budget,
                                                              TieBreak ties)>;

DpForm<model::Beliefs> binary_dp_form();
DpForm<model::MulticlassBeliefs> multiclass_dp_form();

}  // namespace allot::policy
