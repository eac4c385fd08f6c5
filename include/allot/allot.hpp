// The whole library. Read the ten headers below first; the others follow layer by layer, in the
// order of their dependencies (docs/architecture.md).
#pragma once

// clang-format off

// Start here.
#include "allot/base/ids.hpp"            // items, workers, classes and labels as types
#include "allot/base/result.hpp"         // a value or an error: how functions refuse
#include "allot/model/belief.hpp"        // beliefs about binary items with alike workers
#include "allot/model/crowd.hpp"         // beliefs about items and workers who differ
#include "allot/policy/registry.hpp"     // policies by name: the item or pair to ask next
#include "allot/policy/desk.hpp"         // crowd, offers, chooser and stop rules kept in step
#include "allot/aggregate/registry.hpp"  // aggregators by name: answers from labels
#include "allot/io/label_csv.hpp"        // label files
#include "allot/sim/experiment.hpp"      // simulated and replayed experiments
#include "allot/campaign/campaign.hpp"   // a campaign with a ledger, leases and a budget

// base
#include "allot/base/bytes.hpp"
#include "allot/base/check.hpp"
#include "allot/base/money.hpp"
#include "allot/base/progress.hpp"
#include "allot/base/rng.hpp"
#include "allot/base/sorted_numbers.hpp"
#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"

// math
#include "allot/math/beta_match.hpp"
#include "allot/math/beta_tail.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/math/entropy.hpp"
#include "allot/math/logistic_update.hpp"
#include "allot/math/normal_tail.hpp"
#include "allot/math/row_panels.hpp"

// model
#include "allot/model/best_class.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/model/calibration_map.hpp"
#include "allot/model/contextual.hpp"
#include "allot/model/features.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/group_views.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/model/worker_pool.hpp"
#include "allot/model/worker_state.hpp"

// index
#include "allot/index/coin_price.hpp"
#include "allot/index/contextual_reward.hpp"
#include "allot/index/gittins.hpp"
#include "allot/index/index.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/label_sequence.hpp"
#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/index/pair_index.hpp"
#include "allot/index/price_table.hpp"
#include "allot/index/stopping.hpp"
#include "allot/index/uncertainty.hpp"

// policy
#include "allot/policy/bound.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/forecast.hpp"
#include "allot/policy/index_policy.hpp"
#include "allot/policy/index_tree.hpp"
#include "allot/policy/label_worth.hpp"
#include "allot/policy/offers.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/roster_bound.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/policy/ties.hpp"

// aggregate
#include "allot/aggregate/agreement.hpp"
#include "allot/aggregate/calibration.hpp"
#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/contextual.hpp"
#include "allot/aggregate/em.hpp"
#include "allot/aggregate/group_errors.hpp"
#include "allot/aggregate/kos.hpp"
#include "allot/aggregate/majority.hpp"
#include "allot/aggregate/pooled.hpp"
#include "allot/aggregate/posterior.hpp"
#include "allot/aggregate/reliability_diagram.hpp"
#include "allot/aggregate/shared_errors.hpp"

// sim
#include "allot/sim/bounds.hpp"
#include "allot/sim/recording.hpp"
#include "allot/sim/row.hpp"

// io
#include "allot/io/answer_file.hpp"
#include "allot/io/answer_shapes.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/feature_csv.hpp"
#include "allot/io/finished_answers.hpp"
#include "allot/io/group_csv.hpp"
#include "allot/io/item_file.hpp"
#include "allot/io/label_formats.hpp"
#include "allot/io/number_list.hpp"
#include "allot/io/pool_text.hpp"
#include "allot/io/price_csv.hpp"
#include "allot/io/refit_text.hpp"
#include "allot/io/review_csv.hpp"
#include "allot/io/stop_text.hpp"
#include "allot/io/text_file.hpp"
#include "allot/io/truth_csv.hpp"
#include "allot/io/verdict_csv.hpp"

// audit
#include "allot/audit/fixed_design.hpp"
#include "allot/audit/fixed_estimate.hpp"
#include "allot/audit/report.hpp"
#include "allot/audit/sequential_design.hpp"
#include "allot/audit/sequential_estimate.hpp"
#include "allot/audit/strata.hpp"
#include "allot/audit/verdict.hpp"

// figure
#include "allot/figure/axis.hpp"
#include "allot/figure/dot_chart.hpp"
#include "allot/figure/line_chart.hpp"
#include "allot/figure/panels.hpp"
#include "allot/figure/series_style.hpp"

// store
#include "allot/store/location.hpp"
#include "allot/store/memory_store.hpp"
#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "allot/store/store.hpp"

// campaign
#include "allot/campaign/audit.hpp"
#include "allot/campaign/commands.hpp"
#include "allot/campaign/copy.hpp"
#include "allot/campaign/event.hpp"
#include "allot/campaign/export.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/campaign/options.hpp"
#include "allot/campaign/recruiting.hpp"
#include "allot/campaign/state.hpp"
#include "allot/campaign/review.hpp"
#include "allot/campaign/session.hpp"
#include "allot/campaign/tables.hpp"
#include "allot/campaign/types.hpp"
#include "allot/campaign/view.hpp"

// clang-format on
