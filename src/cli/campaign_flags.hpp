// Options of `allot campaign COMMAND`, as written.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  std::optional<std::string> id, price, gold;
  std::vector<std::string> features, show;
};

struct CreateFlags {
  ItemFlags items;
  std::vector<std::string> classes;
  std::string budget;
  std::string price = "1";
  std::vector<std::string> worker_prices;
  std::string policy = "opt-kg";
  std::string ties = "random";
  std::string seed = "1";
  std::string lease = "10m";
  std::optional<std::string> labels_an_item, labels_a_worker;  // any number
  std::string gold_rate = "0.1";
  std::string prior = "uniform";
  std::optional<std::string> worker_prior;  // beta:3,0.9; without refits beta:4,1
  std::vector<std::string> stop;            // when the budget is spent
  std::optional<std::string> coins;         // as the classes suggest
  std::string refit = "20";
  std::optional<std::string> refit_by;  // bp, em where that is the only way
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
