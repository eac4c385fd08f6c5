// Options of `allot campaign COMMAND`, as written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/campaign/option_text.hpp"

namespace allot::cli {

/// What all commands of a campaign have.
struct CampaignFlags {
  std::string file;
  std::optional<std::string> campaign;  // the only one of the file
  std::optional<std::string> now;       // the clock's
};

/// Where rows go.
struct RowFlags {
  std::optional<std::string> format;  // table; of what is handed out jsonl
  std::optional<std::string> output;  // printed
};

struct ItemFlags {
  std::string items;
  std::optional<std::string> id, price, gold, truth;
  std::vector<std::string> features, show;
};

/// Classes are lists of names with commas between them; features are in `items`.
struct CreateFlags : campaign::OptionTexts {
  ItemFlags items;
  std::string budget;
  std::vector<std::string> worker_prices;
};

struct AddItemsFlags {
  ItemFlags items;
  bool skip_known = false;
  std::optional<std::string> key;
};

struct NextFlags {
  std::string worker;
  std::string count = "1";
  std::optional<std::string> key;
  RowFlags rows;
};

struct LeasesFlags {
  std::optional<std::string> worker;  // all
  RowFlags rows;
};

/// Skip and release.
struct HandBackFlags {
  std::string worker;
  std::vector<std::string> items;
  bool all = false;
};

struct AnswerFlags {
  std::optional<std::string> answers;  // a file, or one answer:
  std::optional<std::string> item, worker, label;
  std::optional<std::string> item_column, worker_column, label_column;
  bool revise = false;                 // record
  bool skip_unknown = false;           // import
  std::optional<std::string> key;      // record
  std::optional<std::string> refused;  // a file for rows that were
  std::string format = "table";
};

struct SettleFlags {
  std::vector<std::string> items;
  std::string reason = "settled by hand";
};

struct ExplainFlags {
  std::optional<std::string> item, worker;
  bool next = false;
  std::string count = "5";
  RowFlags rows;
};

struct ExportFlags {
  std::string what;
  std::string format = "csv";
  std::optional<std::string> output;  // printed
};

}  // namespace allot::cli
