// Fields of items as columns, for commands that print items with their content.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/campaign/view.hpp"
#include "cli/formats.hpp"

namespace allot::cli {

/// One column per field that any item has.
struct FieldColumns {
  std::vector<std::string> names;              // in order of appearance
  std::vector<std::vector<std::string>> rows;  // one per item, with a value per column
};

/// Columns of the fields of items, each given as a JSON object or an empty text. A field whose name
/// is taken is called shown_NAME.
FieldColumns field_columns(const std::vector<std::string>& fields,
                           const std::function<bool(const std::string&)>& is_taken);

/// Fields of the items with these ids.
Result<std::vector<std::string>> fields_of(const campaign::CampaignView& view,
                                           const std::vector<std::string>& items);

/// Rows of these columns with the fields of their items: in one JSON value for JSON formats, else a
/// column each. With `most`, tables cut fields to about that many bytes.
std::string item_rows_text(const std::vector<Column>& columns,
                           std::vector<std::vector<std::string>> rows,
                           const std::vector<std::string>& fields, RowFormat format,
                           std::optional<std::size_t> most = {});

}  // namespace allot::cli
