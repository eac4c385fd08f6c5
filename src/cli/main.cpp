// The command line: names and help texts of all options, and one place where trouble becomes a line
// and an exit status.
//   0  done      1  the world broke (no memory, output cannot be written)      2  the request makes
//   no sense      3, 4  nothing is handed out (cli/campaign_work.cpp)
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "cli/campaign_menu.hpp"
#include "cli/cli11.hpp"
#include "cli/commands.hpp"
#include "cli/demo.hpp"
#include "cli/serve.hpp"

namespace allot::cli {
namespace {

constexpr int kDone = 0, kBroken = 1, kRefused = 2;

constexpr const char* kPriorHelp =
    "Belief about every item before its first label:\n"
    "uniform, jeffreys, haldane, beta:A,B or mix:W*beta(A,B)+W*beta(A,B)";
constexpr const char* kClassPriorHelp =
    "Belief about every item before its first label:\n"
    "uniform, jeffreys, haldane, beta:A,B or mix:W*beta(A,B)+W*beta(A,B);\n"
    "where workers are alike also learn or learn:mixture, from the labels,\n"
    "with refits of workers who differ also learn;\n"
    "of several classes uniform, jeffreys, dirichlet:A or dirichlet:A1,A2,A3";
constexpr const char* kPolicyHelp =
    "Policies to compare, with commas between them\n('allot policies' lists all)";

void add_crowd(CLI::App& command, CrowdFlags& flags, const char* refit_help) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--mode", flags.mode, "MODE",
      "push (the policy chooses item and worker) or pull (a worker arrives,\nthe policy chooses "
      "the item); push if not given");
  add("--worker-prior", flags.worker_prior, "D",
      "Belief about how often a worker is right, as for --prior, or learn,\nfrom the labels; "
      "beta:4,1 for one pass, beta:3,0.9 with refits if not\ngiven, of a pool of types what it "
      "says of each");
  add("--coins", flags.coins, "N",
      "1: a worker has one reliability, 2: one for either class (of several\nclasses: a row of "
      "chances for each); 1 for one pass and for several classes\nwithout features, else 2 if not "
      "given");
  add("--refit", flags.refit, "N|off", refit_help);
  add("--refit-by", flags.refit_by, "WAY",
      "bp (belief propagation over each worker's coins)\nor em (restarted from the majority); bp "
      "if not given, em for several\nclasses and for features");
  add("--final", flags.final_answers, "METHOD",
      "Answers by majority, posterior, one-coin, dawid-skene, kos or, with\nfeatures, contextual; "
      "by the policy's own beliefs if not given");
}

/// Options about the comparison, as simulate and replay have them.
void add_runs(CLI::App& command, RunFlags& flags) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--ties", flags.ties, "RULE",
      "Which of several equally good items, or pairs of item and worker,\nto ask: random or first "
      "(the policy uniform always draws)");
  add("--runs", flags.runs, "N", "Independent runs to average");
  add("--seed", flags.seed, "N",
      "Seed of all random numbers; the same seed gives the same numbers");
  add("--threads", flags.threads, "N",
      "Threads; one a processor if not given. Does not change the numbers");
  add("--format", flags.format, "F", kFormatHelp);
  add("--plot", flags.plot, "FILE.svg", "Also draw accuracy against budget, as an SVG figure");
  command
      .add_option("--calibration", flags.calibration,
                  "Also say how many of the answers given with probability .9 to .95,\nand so on, "
                  "were right: FILE.csv, FILE.svg (a figure) or -,\nbehind the table or in JSON; "
                  "may be given several times")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

/// Options about money and stopping early, as simulate and replay have them.
void add_money(CLI::App& command, RunFlags& flags, const char* type, const char* price_help) {
  add_text(command, "--price", flags.price, type, price_help);
  command
      .add_option("--stop", flags.stop,
                  "Stop before the budget is spent, with commas between rules:\naccuracy:X (the "
                  "expected accuracy is at least X), settled:X (items\nright with probability X "
                  "get no more labels), worth:W (no label is\nworth its price, a right answer "
                  "being worth W)")
      ->allow_extra_args(false)
      ->type_name("RULE,...");
}

/// Options about the labels beside the files themselves, as replay and aggregate have them.
void add_label_rules(CLI::App& command, LabelFlags& flags) {
  add_text(command, "--duplicates", flags.duplicates, "RULE",
           "When a worker labels an item again: error, first or last (keep that one)");
  add_names(command, "--classes", flags.classes,
            "Classes that exist even if no label has them, such as no,yes;\nelse those of the "
            "labels alone")
      ->default_str("");
}

/// Options about what is known of items beforehand.
void add_features(CLI::App& command, FeatureFlags& flags) {
  add_text(command, "--features", flags.features, "FILE",
           "File with a row an item: item, and a number in each other column");
  command.add_flag("--no-standardise", flags.no_standardise,
                   "Features as they are; else each is brought to mean 0 and deviation 1");
  command.add_flag("--no-intercept", flags.no_intercept,
                   "Without a feature that is 1 for every item");
  add_text(command, "--feature-variance", flags.variance, "V",
           "Prior variance of every feature's weight;\n1 / number of features if not given");
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App& command = *app.add_subcommand("simulate", "Compare policies on simulated labels");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--items", options.items, "N", "Number of items; 50, or as many as --truth lists");
  add("--budget", options.budget, "B",
      "Labels to buy: 500, or 10x for ten an item;\nlists 2x,5x,10x and ranges 2x..20x, "
      "100..500:50;\nwith --workers also 40%, of one label by every worker about every item.\nWith "
      "prices money: 12.50, lists and ranges; 10x if all have one price");
  add("--truth", options.truth, "D",
      "Where the true soft labels come from: a distribution as for --prior,\n"
      "or the soft labels themselves, 0.1,0.5,0.9 or 0..1:0.05");
  add("--prior", options.run.prior, "D", kClassPriorHelp);
  add("--classes", options.classes, "C",
      "Number of classes of an item; 2, yes and no, if not given. Of several\nclasses --truth and "
      "--prior are Dirichlet distributions");
  add_names(command, "--policy", options.run.policies, kPolicyHelp);
  add_runs(command, options.run);
  add_money(command, options.run, "P", "What a label costs; the budget is then money");
  add("--workers", options.workers, "M|POOL",
      "Workers who differ, each asked at most once about an item;\nall alike if not given. A "
      "number, or types NAME=COUNT*RELIABILITY@PRICE\nsuch as "
      "llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08.\nThe options below need it");
  add("--worker-truth", options.worker_truth, "D",
      "Where their true reliabilities come from: a distribution,\nor one a worker, as for --truth; "
      "beta:4,1 if not given");
  add_crowd(
      command, options.crowd,
      "Labels from one refit of all beliefs to the next,\nor off: the paper's one pass; off "
      "if not given: refits take\nitems for a plain yes or no, simulated ones have soft labels");
  command.footer(
      "Example: allot simulate --items 50 --budget 2x..20x --truth beta:2,1 --policy opt-kg,nlu "
      "--runs 1000");
}

void add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App& command = *app.add_subcommand("replay", "Compare policies on recorded labels");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--labels", options.files.labels, "FILE",
      "File with a row a label: item, worker, label; - reads standard input")
      ->required();
  add("--truth", options.files.truth, "FILE", "File with a row an item: item, truth")->required();
  add_features(command, options.features);
  add("--feature-update", options.feature_update, "WAY",
      "How a label moves the model of features where workers are ignored:\nlaplace or variational; "
      "laplace if not given");
  add("--workers", options.workers, "HOW",
      "differ, or ignore: all are alike, and a chosen item gets\nany of its unused labels");
  add_label_rules(command, options.files);
  add("--budget", options.budget, "B",
      "Labels to buy: 500, 4x for four an item, 40% of those recorded;\nlists 2x,5x,10x and ranges "
      "2x..20x, 100..500:50;\n10%..50%:10% if not given. With prices money: 12.50, lists and "
      "ranges,\n40% of what all labels cost; 4x if all have one price");
  add("--prior", options.run.prior, "D", kClassPriorHelp);
  add_names(command, "--policy", options.run.policies,
            "Policies to compare, with commas between them; if not given,\nuniform,opt-kg,scout "
            "(push), uniform,opt-kg,eig (pull, several\nclasses, features), uniform,kg,opt-kg "
            "(ignored workers; nlu too\nfor two classes)")
      ->default_str("");
  add_crowd(
      command, options.crowd,
      "Labels from one refit of all beliefs to the next,\nor off: the paper's one pass; 20 if "
      "not given: refits take\nitems for a plain yes or no, as real ones mostly are");
  add_runs(command, options.run);
  add_money(command, options.run, "P|FILE",
            "What a label costs, or a file with a row a worker: worker, price\n(worker * is all "
            "others); the budget is then money");
  command.footer(
      "Example: allot replay --labels labels.csv --truth truth.csv --budget 20%,40% --plot "
      "replay.svg");
}

void add_exact(CLI::App& app, ExactOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "exact", "Best possible and policies' expected accuracy for a few items, exactly");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--items", options.items, "N", "Number of items");
  add("--state", options.state, "S",
      "Positive and negative labels that each item has already:\n2:0,1:1,0:0 (instead of --items)");
  add("--budget", options.budget, "B", "Labels still to buy: 15, or 3x for three an item")
      ->required();
  add("--prior", options.prior, "D", kPriorHelp);
  add_names(command, "--policy", options.policies, kPolicyHelp);
  add("--ties", options.ties, "RULE",
      "Which of several equally good items to ask: random or first\n(the policy uniform always "
      "draws)");
  add("--format", options.format, "F", kFormatHelp);
  command.footer("Example: allot exact --items 5 --budget 15 --policy opt-kg,kg,gittins");
}

void add_aggregate(CLI::App& app, AggregateOptions& options) {
  CLI::App& command = *app.add_subcommand("aggregate", "Turn a file of labels into answers");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("LABELS", options.files.labels, "",
      "File with a row a label: item, worker, label; - reads standard input")
      ->required();
  add_names(
      command, "--method", options.methods,
      "majority, posterior, one-coin, dawid-skene, kos or contextual;\nseveral, with commas "
      "between them, are compared;\nif not given, contextual with --features, else dawid-skene")
      ->default_str("");
  add("--truth", options.files.truth, "FILE",
      "File with a row an item: item, truth; prints accuracy");
  add_features(command, options.features);
  add("--output", options.output, "FILE", "Where to write the answers, as CSV; - prints them");
  add("--workers-output", options.workers_output, "FILE",
      "Where to write what was learnt about workers, as CSV; - prints it");
  add_label_rules(command, options.files);
  add("--prior", options.prior, "D",
      "For posterior; uniform if not given. Belief about every item:\nuniform, jeffreys, haldane, "
      "beta:A,B or mix:W*beta(A,B)+W*beta(A,B);\nof several classes uniform, jeffreys, "
      "dirichlet:A or dirichlet:A1,A2,A3");
  add("--seed", options.seed, "N", "For kos; 1 if not given. Seed of the first messages");
  add("--iterations", options.iterations, "N",
      "Most iterations of one-coin, dawid-skene and contextual (500),\nrounds of kos (10)");
  add("--tolerance", options.tolerance, "X",
      "one-coin, dawid-skene and contextual stop when no probability\nmoves more (1e-7)");
  add("--format", options.format, "F", kFormatHelp);
  command.footer(
      "Example: allot aggregate labels.csv --method majority,dawid-skene --truth truth.csv");
}

void add_reproduce(CLI::App& app, ReproduceOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "reproduce", "Redo the paper: every figure and table, and whether its claims hold");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  command
      .add_option("LABEL", options.labels,
                  "Figures and tables by their labels in the paper's "
                  "source, such as fig:comp_task;\nall if none is given")
      ->type_name("");
  command.add_flag("--list", options.list,
                   "Name all labels, or say what the given ones are, and do\nnothing else");
  add("--runs", options.runs, "N", "Independent runs to average; the paper has 20");
  add("--seed", options.seed, "N",
      "Seed of all random numbers; the same seed gives the same numbers");
  add("--threads", options.threads, "N",
      "Threads; one a processor if not given. Does not change the numbers");
  add("--out", options.folder, "DIR",
      "Folder for the page, figures and data; what it holds already\nfrom the same runs and seed "
      "is "
      "kept");
  add("--data", options.data, "DIR",
      "Folder with labels.csv and truth.csv of the RTE data;\nwithout it those parts are left out");
  command.footer("Example: allot reproduce fig:comp_task tab:comp_time --runs 200 --out report");
}

void add_plan(CLI::App& app, PlanOptions& options) {
  CLI::App& command =
      *app.add_subcommand("plan", "What accuracy a budget buys, and what budget an accuracy takes");
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return add_text(command, name, value, type, help);
  };
  add("--items", options.items, "N", "Number of items; as many as the pilot has if not given");
  add("--budget", options.budget, "B",
      "Labels to buy: 50000, or 5x for five an item;\nlists 2x,5x,10x and ranges 2x..20x, "
      "100..500:50; at most 100x;\n1x,2x,5x,10x,20x if neither this nor --target is given");
  add("--target", options.target, "X",
      "Share of right answers to reach, such as 0.95, or a list:\nsays what budget that takes");
  add("--prior", options.prior, "D",
      "What is believed of every item before its first label:\nuniform, jeffreys, beta:A,B or "
      "mix:W*beta(A,B)+W*beta(A,B);\nuniform if not given, with --pilot learned from its labels");
  add("--pilot", options.pilot.labels, "FILE",
      "Labels from which to learn the prior: a row a label (item, worker,\nlabel) of two classes; "
      "- reads standard input");
  add_label_rules(command, options.pilot);
  add("--price", options.price, "P", "Of a label, such as 0.05: shows what budgets cost");
  add("--workers", options.workers, "POOL",
      "Workers who differ, by type: NAME=COUNT*RELIABILITY@PRICE, such as\n"
      "llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08. Budgets are then money,\nor shares of what "
      "all labels cost; 0.1% to 30% if not given");
  add("--format", options.format, "F", kFormatHelp);
  add("--plot", options.plot, "FILE.svg",
      "Also draw accuracy against budget, as an SVG figure: what no policy\nreaches is shaded");
  command.footer(
      "Example: allot plan --items 10000 --budget 50000 --target 0.95 --price 0.05 --plot "
      "plan.svg");
}

/// To standard error, if that can be written.
void complain(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

/// One line, whatever the values in it contain.
void remark(std::string_view where, const std::string& message) {
  complain(fmt::format("{}: {}", where, for_display(message, message.size())));
}

int refuse(std::string_view where, const std::string& message, int status = kRefused) {
  remark(where, message);
  return status;
}

int refuse(std::string_view where, const Error& error) {
  const bool broken =
      error.code == ErrorCode::write_failure || error.code == ErrorCode::store_failure;
  return refuse(where, error.message, broken ? kBroken : kRefused);
}

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return kDone;
  std::perror("allot: the result could not be written");
  return kBroken;
}

int print(std::string_view where, const Result<std::string>& text) {
  return text ? print(*text) : refuse(where, text.error());
}

/// The result before files: it is there even if a file cannot be written after all.
int print(std::string_view where, const Result<Output>& output) {
  if (!output) return refuse(where, output.error());
  for (const std::string& note : output->notes) remark(where, note);
  int status = print(output->text);
  if (status == kDone) status = output->status;
  for (const File& file : output->files) {
    if (const auto written = io::write_text_file(file.path, file.text); !written)
      status = refuse(where, written.error());
  }
  return status;
}

/// What is wrong with the number of an option's values.
std::string explain_count(const CLI::App& command, const CLI::ArgumentMismatch& error) {
  const std::string what = error.what();  // "--format: At Most 1 required but received 2"
  const CLI::Option* option = command.get_option_no_throw(what.substr(0, what.find(':')));
  if (!option) return what;
  if (option->results().size() > 1) {
    return fmt::format("{} is given {} times; expected once", option->get_name(),
                       option->results().size());
  }
  return fmt::format("{} has no value; expected one behind it", option->get_name());
}

/// The command that was given, of a command of commands the inner one, and the words for it.
struct Chosen {
  const CLI::App* command;
  std::string where;
};

Chosen chosen_in(const CLI::App& app) {
  Chosen chosen{&app, app.get_name()};
  for (auto inner = app.get_subcommands(); !inner.empty();
       inner = chosen.command->get_subcommands()) {
    chosen.command = inner.front();
    chosen.where += " " + chosen.command->get_name();
  }
  return chosen;
}

/// The help text of the command that was given.
std::string help_in(const CLI::App& app) {
  const Chosen chosen = chosen_in(app);
  const std::size_t last = chosen.where.rfind(' ');
  return last == std::string::npos ? app.help()
                                   : chosen.command->help(chosen.where.substr(0, last));
}

/// CLI11's complaints in our words.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  const Chosen chosen = chosen_in(app);
  const CLI::App& command = *chosen.command;
  const std::string& where = chosen.where;
  const std::string hint = fmt::format("('{} --help' lists all)", where);
  if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    return refuse(where, fmt::format("{} {}", explain_count(command, *mismatch), hint));
  }
  const std::vector<std::string> extras = app.remaining(true);
  if (!dynamic_cast<const CLI::ExtrasError*>(&error) || extras.empty()) {
    return refuse(where, fmt::format("{} {}", error.what(), hint));
  }
  const auto dashed =
      std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
  const std::string& extra = dashed == extras.end() ? extras.front() : *dashed;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  if (std::ranges::find(names, extra) != names.end()) {
    return refuse(where,
                  fmt::format("'{}' must come after the command: {} {} ...", extra, where, extra));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return refuse(where,
                fmt::format("'{}' is not an option{} {}", extra, suggestion(extra, known), hint));
}

/// A word that is no command where one is expected, before CLI11 calls it a missing one.
std::optional<std::string> unknown_command(const CLI::App& app, int count, char** words) {
  const CLI::App* among = &app;
  std::string where = app.get_name();
  for (int n = 1; n < count && words[n][0] != '-'; ++n) {
    std::vector<std::string> names;
    for (const CLI::App* command : among->get_subcommands({})) names.push_back(command->get_name());
    if (names.empty()) return {};
    if (std::ranges::find(names, words[n]) == names.end()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      return fmt::format("'{}' is not a command{} ('{} --help' lists all)", words[n],
                         suggestion(words[n], known), where);
    }
    among = among->get_subcommand(words[n]);
    where += fmt::format(" {}", words[n]);
  }
  return {};
}

int run(int count, char** words) {
  CLI::App app("allot decides which label to buy next, and what the labels bought so far say.",
               "allot");
  app.set_version_flag("--version", std::string("allot ") + ALLOT_VERSION);
  app.set_help_flag("--help,-h", "Print this help");
  app.require_subcommand(0, 1);
  SimulateOptions simulate_options;
  ExactOptions exact_options;
  add_simulate(app, simulate_options);
  ReplayOptions replay_options;
  add_replay(app, replay_options);
  AggregateOptions aggregate_options;
  ReproduceOptions reproduce_options;
  add_exact(app, exact_options);
  add_aggregate(app, aggregate_options);
  add_reproduce(app, reproduce_options);
  PlanOptions plan_options;
  add_plan(app, plan_options);
  const CampaignMenu campaign(app);
  const ServeMenu serve(app);
  const DemoMenu demo(app);
  app.add_subcommand("policies", "List all policies");
  if (const auto unknown = unknown_command(app, count, words)) return refuse("allot", *unknown);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    return print(help_in(app));
  } catch (const CLI::CallForVersion&) {
    return print(std::string("allot ") + ALLOT_VERSION + "\n");
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  if (app.got_subcommand("simulate")) return print("allot simulate", simulate(simulate_options));
  if (app.got_subcommand("replay")) return print("allot replay", replay(replay_options));
  if (app.got_subcommand("exact")) return print("allot exact", exact(exact_options));
  if (app.got_subcommand("aggregate"))
    return print("allot aggregate", aggregate(aggregate_options));
  if (app.got_subcommand("reproduce"))
    return print("allot reproduce", reproduce(reproduce_options));
  if (app.got_subcommand("plan")) return print("allot plan", plan(plan_options));
  if (app.got_subcommand("campaign"))
    return print(fmt::format("allot campaign {}", campaign.chosen()), campaign.run());
  if (app.got_subcommand("serve")) {
    const auto served = serve.run();
    return served ? kDone : refuse("allot serve", served.error());
  }
  if (app.got_subcommand("demo")) {
    const auto shown = demo.run();
    return shown ? kDone : refuse("allot demo", shown.error());
  }
  if (app.got_subcommand("policies")) return print(policies());
  return print(app.help());
}

}  // namespace
}  // namespace allot::cli

int main(int count, char** words) {
  // A file that may not grow is then a full disk, with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return allot::cli::run(count, words);
  } catch (const std::invalid_argument& mistake) {
    allot::cli::complain(std::string("allot: ") + mistake.what());
    return 2;
  } catch (const std::bad_alloc&) {
    allot::cli::complain("allot: not enough memory for so many items or runs");
  } catch (const std::exception& trouble) {
    allot::cli::complain(std::string("allot: ") + trouble.what());
  }
  return 1;
}
