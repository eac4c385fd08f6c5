// Rows that are both shown and exported.
#pragma once

#include "campaign/rows.hpp"
#include "cli/campaign_file.hpp"
#include "cli/sheet.hpp"

namespace allot::cli {

Result<Sheet> answer_sheet(const OpenCampaign& open);
Result<Sheet> worker_sheet(const OpenCampaign& open);

/// The names of the classes.
Result<std::vector<std::string>> classes_of(const OpenCampaign& open);

using campaign::add_class_columns;
using campaign::add_numbers;

}  // namespace allot::cli
