// Tables of answers and workers, for several commands.
#pragma once

#include "campaign/rows.hpp"
#include "cli/campaign_file.hpp"
#include "cli/data_table.hpp"

namespace allot::cli {

Result<DataTable> answer_table(const OpenCampaign& open);
Result<DataTable> worker_table(const OpenCampaign& open);

/// Names of the classes.
Result<std::vector<std::string>> classes_of(const OpenCampaign& open);

using campaign::add_class_columns;
using campaign::add_numbers;

}  // namespace allot::cli
