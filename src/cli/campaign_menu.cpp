#include "cli/campaign_menu.hpp"

#include <functional>

#include "cli/campaign_commands.hpp"
#include "cli/cli11.hpp"

namespace allot::cli {
namespace {

constexpr const char* kRowsHelp = "table, csv, json or jsonl";

void add_where(CLI::App& command, CampaignFlags& flags, bool changes) {
  add_text(command, "FILE", flags.file, "", "File of campaigns, an SQLite database")->required();
  add_text(command, "--campaign", flags.campaign, "NAME",
           "Which campaign of the file; the only one if not given");
  if (changes) {
    add_text(command, "--now", flags.now, "TIME",
             "When this happens, such as 2026-03-01T12:00:00Z;\nnow by the clock if not given");
  }
}

void add_rows(CLI::App& command, RowFlags& flags, const char* format_help) {
  add_text(command, "--format", flags.format, "F", format_help);
  add_text(command, "--output", flags.output, "FILE", "Where to write it; printed if not given");
}

void add_key(CLI::App& command, std::optional<std::string>& key) {
  add_text(command, "--key", key, "KEY",
           "Names the request: made again with the same key it changes nothing\nand says the same");
}

void add_item_columns(CLI::App& command, ItemFlags& flags, bool may_name_features) {
  add_text(command, "--items", flags.items, "FILE",
           "Items to be labelled, CSV or JSON lines: an id, what to show of it,\nperhaps price, "
           "gold (a known answer) and features; - reads standard\ninput")
      ->required();
  add_text(command, "--id-column", flags.id, "COLUMN",
           "Holds the id; id, item, task and the like if not given");
  add_text(command, "--price-column", flags.price, "COLUMN",
           "Holds the price of a label of the item; price if not given");
  add_text(command, "--gold-column", flags.gold, "COLUMN",
           "Holds the known answer, if any; gold, gold_label and the like if not\ngiven. Workers "
           "are tried on such items, whose answer is not shown");
  add_text(command, "--truth-column", flags.truth, "COLUMN",
           "Holds what answers are measured by; nothing else looks at it");
  if (may_name_features) {
    add_names(command, "--features", flags.features,
              "Columns of numbers that tell something about the class")
        ->default_str("");
  }
  add_names(command, "--show", flags.show,
            "Columns that workers see; all that serve no other purpose if not\ngiven")
      ->default_str("");
}

}  // namespace

struct CampaignMenu::Impl {
  CLI::App* menu = nullptr;
  std::vector<std::pair<CLI::App*, std::function<Result<Output>()>>> commands;

  CampaignFlags where;
  CreateFlags create;
  AddItemsFlags add_items;
  NextFlags next;
  LeasesFlags leases;
  HandBackFlags back;
  AnswerFlags answers;
  std::optional<std::string> amount;
  std::vector<std::string> prices;
  SettleFlags settle;
  std::string reason = "done";
  RowFlags rows;
  ExplainFlags explain;
  ExportFlags exported;

  CLI::App& add(const char* name, const char* help, bool changes,
                std::function<Result<Output>()> run) {
    CLI::App& command = *menu->add_subcommand(name, help);
    add_where(command, where, changes);
    commands.emplace_back(&command, std::move(run));
    return command;
  }

  void add_create() {
    CLI::App& command =
        add("create", "Start a campaign", true, [this] { return create_campaign(where, create); });
    command.get_option("--campaign")->description("Its name; that of the file if not given");
    const auto text = [&](const char* name, auto& value, const char* type, const char* help) {
      return add_text(command, name, value, type, help);
    };
    add_item_columns(command, create.items, true);
    add_names(command, "--classes", create.classes,
              "What a label can be; of two the second is the positive one")
        ->required()
        ->default_str("");
    text("--budget", create.budget, "B",
         "What may be spent: 5000, 12.50, or 10x for ten labels an item")
        ->required();
    text("--price", create.price, "P", "What a label costs unless item or worker have a price");
    command
        .add_option("--worker-price", create.worker_prices,
                    "Prices of single workers, with commas between them, or a file with a\nrow a "
                    "worker: worker, price")
        ->allow_extra_args(false)
        ->type_name("WORKER=P,...|FILE");
    text("--policy", create.policy, "NAME", "How items are chosen ('allot policies' lists all)");
    text("--ties", create.ties, "RULE", "Which of several equally good items: random or first");
    text("--seed", create.seed, "N", "Seed of all random numbers");
    text("--lease", create.lease, "TIME",
         "How long a worker may keep an item: 90s, 10m, 2h, 1d; then it goes\nto others and its "
         "price back to the budget");
    text("--labels-an-item", create.labels_an_item, "N", "At most; any number if not given");
    text("--labels-a-worker", create.labels_a_worker, "N", "At most; any number if not given");
    text("--gold-rate", create.gold_rate, "X",
         "Share of items handed out whose answer is known, if there are any");
    text("--prior", create.prior, "D",
         "Belief about every item before its first label:\nuniform, jeffreys, beta:A,B or "
         "mix:W*beta(A,B)+W*beta(A,B);\nof several classes uniform, jeffreys, dirichlet:A or "
         "dirichlet:A1,A2,A3");
    text("--worker-prior", create.worker_prior, "D",
         "Belief about how often a worker is right, or learn, from the labels;\nbeta:3,0.9 if not "
         "given, beta:4,1 without refits");
    command
        .add_option("--stop", create.stop,
                    "Stop before the budget is spent, with commas between rules:\naccuracy:X (the "
                    "expected accuracy is at least X), settled:X (items\nright with probability X "
                    "get no more labels), worth:W (no label is\nworth its price, a right answer "
                    "being worth W)")
        ->allow_extra_args(false)
        ->type_name("RULE,...");
    text("--coins", create.coins, "N",
         "1: a worker has one reliability, 2: one for each class; if not given\n2 for two classes, "
         "else 1");
    text("--refit", create.refit, "N|off",
         "Labels from one refit of all beliefs to the next, or off: one pass");
    text("--refit-by", create.refit_by, "WAY",
         "bp (belief propagation) or em; bp if not given, em for several\nclasses and features");
    command.footer(
        "Example: allot campaign create sentiment.db --items items.csv --classes no,yes --budget "
        "5000 --policy opt-kg --labels-an-item 7");
  }

  void add_work() {
    CLI::App& more = add("add-items", "Give the campaign more items", true,
                         [this] { return cli::add_items(where, add_items); });
    add_item_columns(more, add_items.items, false);
    more.add_flag("--skip-known", add_items.skip_known,
                  "Leave out items that are there already; else they are refused");
    add_key(more, add_items.key);
    more.footer("Example: allot campaign add-items sentiment.db --items more.jsonl");

    CLI::App& out =
        add("next", "Hand out items to a worker", true, [this] { return hand_out(where, next); });
    add_text(out, "--worker", next.worker, "NAME", "Who gets them")->required();
    add_text(out, "--count", next.count, "N", "How many at most");
    add_key(out, next.key);
    add_rows(out, next.rows, "jsonl, csv, table or json; jsonl if not given");
    out.footer(
        "Example: allot campaign next sentiment.db --worker ann --count 20 --format csv --output "
        "ann.csv");

    CLI::App& held = add("leases", "What workers have at hand", true,
                         [this] { return list_leases(where, leases); });
    add_text(held, "--worker", leases.worker, "NAME", "Only theirs");
    add_rows(held, leases.rows, kRowsHelp);

    const auto add_back = [&](CLI::App& command) {
      command.add_option("ITEM", back.items, "Ids of items at hand")->type_name("");
      add_text(command, "--worker", back.worker, "NAME", "Who has them")->required();
      command.add_flag("--all", back.all, "All that the worker has");
    };
    CLI::App& skip = add("skip", "A worker does not want items, and will not get them again", true,
                         [this] { return skip_items(where, back); });
    add_back(skip);
    skip.footer("Example: allot campaign skip sentiment.db review-17 --worker ann");
    CLI::App& release = add("release", "A worker gives items back, and may get them again", true,
                            [this] { return release_items(where, back); });
    add_back(release);
    release.footer("Example: allot campaign release sentiment.db --worker ann --all");
  }

  void add_answers() {
    const auto add_file = [&](CLI::App& command, const char* what) {
      add_text(command, "ANSWERS", answers.answers, "", what);
      add_text(command, "--item", answers.item, "ID", "One answer: the item");
      add_text(command, "--worker", answers.worker, "NAME",
               "One answer: the worker; beside a file, whose all rows are");
      add_text(command, "--label", answers.label, "CLASS", "One answer: what they said");
      add_text(command, "--item-column", answers.item_column, "COLUMN",
               "Holds the item; item, task and the like if not given");
      add_text(command, "--worker-column", answers.worker_column, "COLUMN",
               "Holds the worker; worker, annotator and the like if not given");
      add_text(command, "--label-column", answers.label_column, "COLUMN",
               "Holds the label; label, answer and the like if not given");
      add_text(command, "--refused", answers.refused, "FILE",
               "Where to write rows that were refused, with the reason, as CSV");
      add_text(command, "--format", answers.format, "F", kFormatHelp);
    };
    CLI::App& record = add("record", "Take the answers of workers", true,
                           [this] { return record_answers(where, answers); });
    add_file(record,
             "File of answers, CSV or JSON lines: item, worker, label; rows\nwithout a "
             "label are passed over; - reads standard input");
    record.add_flag("--revise", answers.revise,
                    "Another label than before takes its place; else it is refused");
    add_key(record, answers.key);
    record.footer(
        "Example: allot campaign record sentiment.db ann.csv\n"
        "         allot campaign record sentiment.db --item review-17 --worker ann --label yes");
    CLI::App& import = add("import", "Take in labels from elsewhere, which cost nothing", true,
                           [this] { return import_labels(where, answers); });
    add_file(import,
             "File of labels, CSV or JSON lines: item, worker, label;\n- reads standard input");
    import.add_flag("--skip-unknown", answers.skip_unknown,
                    "Leave out labels of items that the campaign does not have");
    import.footer("Example: allot campaign import sentiment.db old-labels.csv");
  }

  void add_control() {
    add("pause", "Hand out nothing until resume; answers are taken", true,
        [this] { return pause_campaign(where); });
    add("resume", "Go on after a pause", true, [this] { return resume_campaign(where); });
    CLI::App& budget = add("budget", "Raise or lower the budget, or say what it is", true,
                           [this] { return change_budget(where, amount); });
    add_text(budget, "AMOUNT", amount, "",
             "What may be spent in all, not below what is spent and reserved");
    budget.footer("Example: allot campaign budget sentiment.db 7500");
    CLI::App& price = add("price", "Set what labels of single workers cost from now on", true,
                          [this] { return set_worker_prices(where, prices); });
    price.add_option("WORKER=PRICE", prices, "Such as ann=0.05, or a file with a row a worker")
        ->type_name("")
        ->required();
    price.footer("Example: allot campaign price sentiment.db ann=0.05 bob=0.02");
    CLI::App& settle_command = add("settle", "Ask nobody any more about items", true,
                                   [this] { return settle_items(where, settle); });
    settle_command.add_option("ITEM", settle.items, "Ids of items")->type_name("")->required();
    add_text(settle_command, "--reason", settle.reason, "TEXT", "Why, for status and answers");
    settle_command.footer(
        "Example: allot campaign settle sentiment.db review-17 --reason 'not a review'");
    CLI::App& close = add("close", "End the campaign for good; answers are no longer taken", true,
                          [this] { return close_campaign(where, reason); });
    add_text(close, "--reason", reason, "TEXT", "Why");
  }

  void add_reports() {
    add_rows(add("list", "The campaigns of a file", false,
                 [this] { return list_campaigns(where, rows); }),
             rows, kRowsHelp);
    add_rows(add("status", "Where it stands: money, items, labels; expected accuracy", false,
                 [this] { return show_status(where, rows); }),
             rows, kRowsHelp);
    add_rows(add("answers", "The answer of every item, and how sure it is", false,
                 [this] { return show_answers(where, rows); }),
             rows, kRowsHelp);
    add_rows(add("workers", "What is known of every worker", false,
                 [this] { return show_workers(where, rows); }),
             rows, kRowsHelp);
    CLI::App& why = add("explain", "Why an item is asked or not, or which would be next", false,
                        [this] { return explain_choice(where, explain); });
    add_text(why, "ITEM", explain.item, "", "The id of an item");
    why.add_flag("--next", explain.next, "The next choice, and those behind it");
    add_text(why, "--worker", explain.worker, "NAME",
             "For this worker; --next takes whom the policy would ask if not given");
    add_text(why, "--count", explain.count, "N", "With --next, how many items");
    add_rows(why, explain.rows, kRowsHelp);
    why.footer(
        "Example: allot campaign explain sentiment.db review-17 --worker ann\n"
        "         allot campaign explain sentiment.db --next --worker ann");
    CLI::App& out = add("export", "Labels, answers, workers or every event, for other programs",
                        false, [this] { return export_campaign(where, exported); });
    add_text(out, "WHAT", exported.what, "", "labels, answers, probabilities, workers or events")
        ->required();
    add_text(out, "--format", exported.format, "F",
             "csv, jsonl or crowd-kit (the columns of that library)");
    add_text(out, "--output", exported.output, "FILE", "Where to write it; printed if not given");
    out.footer(
        "Example: allot campaign export sentiment.db labels --format crowd-kit --output "
        "labels.csv");
    add_rows(add("verify", "Fold the ledger from nothing, make every decision again, compare",
                 false, [this] { return verify_campaign(where, rows); }),
             rows, kRowsHelp);
  }
};

CampaignMenu::CampaignMenu(CLI::App& app) : impl_(std::make_unique<Impl>()) {
  impl_->menu = app.add_subcommand("campaign", "Run a campaign: items, workers, budget, in a file");
  impl_->menu->require_subcommand(0, 1);
  impl_->add_create();
  impl_->add_work();
  impl_->add_answers();
  impl_->add_control();
  impl_->add_reports();
  // Behind the commands, which would take it over.
  impl_->menu->footer(
      "A campaign is kept in an SQLite file, which may hold several:\n"
      "  allot campaign create sentiment.db --items items.csv --classes no,yes --budget 10x\n"
      "  allot campaign next sentiment.db --worker ann --count 20 --format csv --output ann.csv\n"
      "  allot campaign record sentiment.db ann.csv\n"
      "  allot campaign status sentiment.db\n"
      "docs/guide/campaigns.md walks through one.");
}
CampaignMenu::~CampaignMenu() = default;

std::string CampaignMenu::chosen() const {
  for (const auto& [command, run] : impl_->commands) {
    if (command->parsed()) return command->get_name();
  }
  return "";
}

Result<Output> CampaignMenu::run() const {
  for (const auto& [command, run] : impl_->commands) {
    if (command->parsed()) return run();
  }
  return Output{impl_->menu->help("allot")};
}

}  // namespace allot::cli
