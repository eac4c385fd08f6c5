// Every item as it came in, with its answer, as rows of an export.
//
// A row has the item's own fields first, then what the campaign found. A column of the campaign
// gets the prefix "allot_" if a field has its name. Cost: two passes over the contents of the
// store, the first for the names of the fields.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "allot/campaign/view.hpp"
#include "io/row_text.hpp"

namespace allot::campaign {

class ResultRows {
 public:
  /// Takes the answers of this moment.
  static Result<ResultRows> begin(const CampaignView& campaign);

  const std::vector<io::Column>& columns() const { return columns_; }
  /// write(row) for up to `most` further items; false if there are none.
  Result<bool> more(const CampaignView& campaign, std::size_t most,
                    const std::function<void(const std::vector<std::string>&)>& write);

 private:
  Result<void> add_fields(const CampaignView& campaign);
  Result<std::vector<std::string>> row(const CampaignView& campaign, std::size_t item) const;

  std::vector<std::vector<std::string>> found_;  // by item
  /// Columns of the campaign; where classes are ordered, expected_rank follows.
  std::vector<io::Column> found_columns_{{"item"},
                                         {"answer"},
                                         {"probability", io::Kind::real},
                                         {"calibrated", io::Kind::real},
                                         {"labels", io::Kind::exact},
                                         {"status"}};
  std::vector<io::Column> columns_;
  std::map<std::string, std::size_t> fields_;  // places of columns
  std::size_t at_ = 0;
};

}  // namespace allot::campaign
