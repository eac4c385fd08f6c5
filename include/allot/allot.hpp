// All of the library, in the order in which its headers are best read.
#pragma once

// clang-format off
#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/base/rng.hpp"
#include "allot/math/beta_tail.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/belief.hpp"
#include "allot/model/outlook.hpp"
#include "allot/model/label_set.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/label_uncertainty.hpp"
#include "allot/index/gittins.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/registry.hpp"
#include "allot/policy/exact.hpp"
#include "allot/aggregate/posterior_vote.hpp"
#include "allot/sim/experiment.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
// clang-format on
