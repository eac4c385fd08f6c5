// A whole campaign by files alone, as a team would run it.
#include "allot/base/text.hpp"
#include "unit/cli/campaign_command.hpp"

namespace allot::test::campaign_test {
namespace {

TEST_F(CampaignCommand, StatusSaysWhatExpiredAndIsStillReserved) {
  done("create",
       "--items " + items_ + " --classes no,yes --budget 5x --gold-rate 0 --now 2026-03-02");
  done("next", "--worker a --count 2 --now 2026-03-02T00:00:00Z");
  const Outcome outcome = allot("campaign status " + db_);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.errors.find("2 leases expired: 2 of the reserved money comes back"),
            std::string::npos)
      << outcome.errors;
}

TEST_F(CampaignCommand, NeverOverwritesACampaign) {
  done("create", "--items " + items_ + " --classes no,yes --budget 5x");
  for (const std::string command : {"answers", "status", "workers", "export", "next"}) {
    const std::string words = command == "export" ? " labels"
                              : command == "next" ? " --worker a"
                                                  : "";
    const Outcome outcome =
        allot("campaign " + command + " " + db_ + words + " --format csv --output " + db_);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.errors.find("is a database"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(number("leases"), "0");
}

TEST_F(CampaignCommand, RunsFromItemsToAnswersByFilesAlone) {
  EXPECT_EQ(done("create",
                 "--items " + items_ + " --classes no,yes --budget 5x --gold-rate 0 --ties first"),
            "campaign 'reviews' in " + db_ +
                ": 4 items, 1 of them with a known answer, budget 15, policy budget-kg\n");
  for (const std::string worker : {"ann", "bob", "eve"}) {
    const std::string batch = folder_ / (worker + ".csv");
    EXPECT_EQ(done("next", "--worker " + worker + " --count 3 --format csv --output " + batch), "");
    std::string text = read_file(batch), answered;
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) continue;
      const bool head = line.starts_with("item,");
      EXPECT_TRUE(!head || line == "item,worker,price,expires,text");
      EXPECT_FALSE(line.find("Great") != std::string_view::npos) << "gold is off";
      const char* said = head ? "label" : line.starts_with("r2") ? "no" : "yes";
      answered += std::string(line) + "," + said + "\n";
    }
    folder_.file(worker + ".csv", answered);
    EXPECT_EQ(done("record", batch), "3 recorded\n");
    EXPECT_EQ(done("record", batch), "0 recorded, 3 already\n");
  }
  EXPECT_EQ(number("labels"), "9");
  EXPECT_EQ(number("spent"), "9");
  EXPECT_EQ(number("left"), "6");
  EXPECT_EQ(number("leases"), "0");
  const std::string answers = done("answers", "--format csv");
  EXPECT_TRUE(answers.starts_with(
      "item,answer,probability,calibrated,labels,entropy,disagreement,settled,reviewer,reason,"
      "status,p_no,p_yes\nr1,yes,0.9"))
      << answers;
  EXPECT_TRUE(has(answers, "\nr2,no,0.9"));
  EXPECT_FALSE(has(answers, "r4")) << "the answer of a gold item is known";
  EXPECT_TRUE(has(done("workers"), "\n  eve           3 ")) << done("workers");
  EXPECT_TRUE(has(done("verify"), "9 decisions repeated, no differences\n"));
}

TEST_F(CampaignCommand, ItemsWithoutALabelHaveNoAnswer) {
  create();
  std::string status = done("status");
  EXPECT_TRUE(has(status, "\n  answers             0 of 3 items; 3 have no label yet\n")) << status;
  EXPECT_TRUE(has(status, "\n  expected accuracy   no answer yet\n")) << status;
  const std::string item = next("ann");
  done("record", "--item " + item + " --worker ann --label yes");
  done("review", "r3=no --reviewer eve");
  status = done("status");
  EXPECT_TRUE(has(status, "\n  answers             2 of 3 items; 1 has no label yet\n")) << status;
  EXPECT_TRUE(has(status, " of these answers, estimated by the model, not verified\n")) << status;
  EXPECT_TRUE(has(status, " if items without a label are guessed")) << status;
  EXPECT_EQ(number("answers"), "2");
  EXPECT_EQ(number("unlabelled"), "1");
  EXPECT_EQ(number("verified"), "false") << "the verdict is on an item without a label";
  const std::string answers = done("answers", "--format csv");
  EXPECT_EQ(done("export", "answers"), answers);
  EXPECT_TRUE(has(answers, "\nr2,,,,0,")) << answers;
  EXPECT_TRUE(has(answers, ",no label yet,0.")) << answers;
  EXPECT_TRUE(has(answers, "\nr3,no,1,1,0,")) << answers;
  EXPECT_TRUE(has(done("answers", "--format jsonl"), "\"item\": \"r2\", \"answer\": null, "));
  EXPECT_FALSE(has(done("export", "answers --format crowd-kit"), "r2"));
  EXPECT_TRUE(has(done("explain", "r2"), "Item 'r2': open; no label yet\n"));
  EXPECT_TRUE(has(done("explain", "--next --worker ann"), "no label yet"));
  // An audit of the file takes what is answered.
  const std::string file = folder_.file("answers.csv", answers);
  const Outcome audit = allot("audit " + file + " --checks 2 --draws " + (folder_ / "draws.csv"));
  EXPECT_TRUE(has(audit.output, "2 of 2 answers to check")) << audit.output << audit.errors;
}

TEST_F(CampaignCommand, ASecondAnswerIsRefusedUnlessItRevises) {
  create();
  const std::string answer = "--item " + next("ann") + " --worker ann --label ";
  EXPECT_EQ(done("record", answer + "yes"), "1 recorded\n");
  EXPECT_EQ(done("record", answer + "yes"), "0 recorded, 1 already\n");
  refuses("record", answer + "no", "already labelled item 'r1' as 'yes'",
          "use --revise to change it to 'no'");
  const std::string file = folder_.file("again.csv", "item,worker,label\nr1,ann,no\nr1,ann,no\n");
  for (const auto& [command, way] :
       {std::pair("record", "use --revise to change it to 'no'"),
        std::pair("import", "use 'allot campaign record --revise' to change it to 'no'")}) {
    const Outcome outcome = run(command, file);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(has(outcome.errors, "line 3: worker 'ann' already labelled item 'r1' as 'yes'"));
    EXPECT_TRUE(has(outcome.errors, way)) << outcome.errors;
  }
  EXPECT_EQ(done("record", answer + "no --revise"), "0 recorded, 1 revised\n");
  EXPECT_TRUE(has(done("export", "labels"), "r1,ann,no,"));
  EXPECT_EQ(number("spent"), "1");
}

TEST_F(CampaignCommand, AFileWithAnInvalidRowChangesNothing) {
  create();
  done("next", "--worker ann --count 3");
  const auto answers = [&](const std::string& rows) {
    return folder_.file("answers.csv", "item,worker,label\n" + rows);
  };
  refuses("record", answers("r1,ann,yes\nr9,ann,yes\n"), "answers.csv: line 3: unknown item 'r9'",
          "one of 4 items");
  refuses("record", answers("r1,ann,yes\nr2,ann,Yes\n"), "line 3: unknown label 'Yes'",
          "expected 'no' or 'yes', did you mean 'yes'?");
  refuses("record", answers("r1,ann,yes\nr2,bob,yes\n"), "line 3: unknown worker 'bob'",
          "one who was handed an item");
  refuses("record", answers("r1,ann,yes\nr2,ann\n"), "line 3: 2 fields", "expected 3");
  refuses("record", answers("r1,ann,yes\nr1,ann,no\n"),
          "line 3: worker 'ann' labels item 'r1' as 'no'",
          "but as 'yes' in line 2; expected one label");
  EXPECT_EQ(number("labels"), "0");
}

TEST_F(CampaignCommand, LateRowsAreReportedAndTheOthersRecorded) {
  create("--budget 1 --lease 60s --now 2026-03-01");
  next("ann", "--now 2026-03-01T12:00:00Z");
  EXPECT_EQ(next("bob", "--now 2026-03-01T12:02:00Z"), "r1") << "the lease of ann is over";
  const std::string answers =
      folder_.file("late.jsonl",
                   "{\"item\": \"r1\", \"worker\": \"ann\", \"label\": \"yes\"}\n"
                   "{\"item\": \"r1\", \"worker\": \"bob\", \"label\": \"no\"}\n");
  const std::string refused = folder_ / "refused.csv";
  const Outcome outcome =
      run("record", answers + " --now 2026-03-01T12:02:30Z --refused " + refused);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "1 recorded, 1 refused\n");
  EXPECT_TRUE(has(outcome.errors,
                  "late.jsonl: line 1: the answer of worker 'ann' to item 'r1' "
                  "came late: it costs 1, and 0 of the budget of 1 are left"))
      << outcome.errors;
  EXPECT_TRUE(has(read_file(refused), "item,worker,label,line,reason\nr1,ann,yes,1,")) << refused;
  EXPECT_EQ(number("spent"), "1");
}

TEST_F(CampaignCommand, WorkIsHandedBackSkippedAndReleased) {
  create();
  done("next", "--worker ann --count 3");
  EXPECT_EQ(number("reserved"), "3");
  refuses("skip", "r1 r4 --worker ann", "worker 'ann' has not leased item 'r4'",
          "expected one of 'r1', 'r2', 'r3'");
  EXPECT_EQ(number("reserved"), "3") << "nothing of a request is done if a part makes no sense";
  EXPECT_EQ(done("skip", "r1 --worker ann"), "1 item skipped by 'ann'\n");
  EXPECT_EQ(done("release", "--worker ann --all"), "2 items released by 'ann'\n");
  EXPECT_EQ(number("reserved"), "0");
  const std::string again = done("next", "--worker ann --count 3");
  EXPECT_FALSE(has(again, "\"r1\"")) << "what was skipped does not come again";
  EXPECT_TRUE(has(again, "\"r2\"") && has(again, "\"r3\""));
  EXPECT_TRUE(has(done("leases", "--worker ann --format csv"), "r2,ann,1,"));
}

TEST_F(CampaignCommand, WarnsOfAClockThatGoesBack) {
  create("--budget 10 --lease 60s --now 2026-03-01");
  next("ann", "--now 2026-03-02");
  const Outcome behind = run("next", "--worker bob --now 2026-03-01T23:00:00Z");
  EXPECT_EQ(behind.status, 0);
  EXPECT_TRUE(has(behind.output, "\"expires\": \"2026-03-02T00:01:00Z\"")) << behind.output;
  EXPECT_TRUE(has(behind.errors,
                  "it is 2026-03-01T23:00:00Z, but the last event was at "
                  "2026-03-02T00:00:00Z"))
      << behind.errors;
  EXPECT_TRUE(has(behind.errors, "is the clock right?"));
  EXPECT_EQ(run("next", "--worker eve --now 2026-03-01T23:59:30Z").errors, "");
  const Outcome far = run("next", "--worker fay --now 2026-03-01T22:30:00Z");
  EXPECT_TRUE(has(far.output, "\"expires\": \"2026-03-01T22:31:00Z\"")) << far.output;
  EXPECT_TRUE(has(far.errors, "time goes on from now")) << far.errors;
  EXPECT_TRUE(has(done("export", "events"), "clock-set-back"));
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, AKeyMakesARequestSafeToRepeat) {
  create();
  const std::string first = done("next", "--worker ann --count 2 --key batch-1");
  EXPECT_EQ(done("next", "--worker ann --count 2 --key batch-1"), first);
  refuses("next", "--worker ann --count 1 --key batch-1", "'batch-1' was used for another", "new");
  const Outcome more = run("next", "--worker ann --count 3 --key batch-1");
  EXPECT_EQ(more.output, first);
  EXPECT_TRUE(has(more.errors, "'batch-1' was used before and got 2 items then")) << more.errors;
  EXPECT_EQ(number("leases"), "2");
}

TEST_F(CampaignCommand, MoreItemsComeAsCsvOrJsonLines) {
  create();
  const std::string more = folder_.file("more.jsonl",
                                        "{\"id\": \"r1\", \"text\": \"known\"}\n"
                                        "{\"id\": \"r5\", \"text\": \"new\", \"stars\": 3}\n");
  refuses("add-items", "--items " + more, "more.jsonl: line 1: item 'r1' already exists",
          "--skip-known");
  EXPECT_EQ(number("items"), "4");
  const Outcome added = run("add-items", "--items " + more + " --skip-known");
  EXPECT_EQ(added.output, "1 item added to campaign 'reviews'\n");
  EXPECT_TRUE(has(added.errors, "1 item skipped"));
  const std::string wrong = folder_.file("wrong.csv", "id,gold\nr6,maybe\n");
  refuses("add-items", "--items " + wrong, "line 2: the known answer of item 'r6' is 'maybe'",
          "one of 'no', 'yes'");
  EXPECT_TRUE(
      has(done("next", "--worker ann --count 9"), "\"fields\": {\"text\": \"new\", \"stars\": 3}"));
}

TEST_F(CampaignCommand, LabelsFromElsewhereCostNothing) {
  create();
  const std::string old =
      folder_.file("old.csv", "task,worker,label\nr1,w1,yes\nr2,w1,no\nx,w1,no\n");
  refuses("import", old, "old.csv: line 4: unknown item 'x'", "one of 4 items");
  EXPECT_EQ(done("import", old + " --skip-unknown"), "2 recorded, 1 unknown\n");
  EXPECT_EQ(done("import", old + " --skip-unknown"), "0 recorded, 2 already, 1 unknown\n");
  EXPECT_EQ(number("imported"), "2");
  EXPECT_EQ(number("spent"), "0");
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, ExcludesAndRestoresWorkers) {
  create();
  for (const char* worker : {"ann", "bob"}) {
    const std::string item = next(worker);
    done("record", "--item " + item + " --worker " + worker + " --label yes");
  }
  EXPECT_EQ(done("exclude", "bob --reason 'says anything'"),
            "worker 'bob' is excluded and gets no more items; labels that no longer count: 1\n"
            "1 answer changed; 98 of the budget is left to ask again\n");
  EXPECT_EQ(number("excluded"), "1");
  EXPECT_TRUE(has(done("workers", "--format csv"), ",excluded,says anything,"));
  EXPECT_TRUE(has(done("export", "labels"), ",false,\n"));
  EXPECT_FALSE(has(done("export", "labels --format crowd-kit"), "bob"));
  EXPECT_TRUE(has(done("explain", "r2"), "yes (does not count)"));
  nothing("bob", 3, "'bob' is excluded");
  done("restore", "bob");
  EXPECT_EQ(number("excluded"), "0");
  EXPECT_TRUE(
      has(done("block", "ann"), "is blocked and gets no more items; labels that still count: 1"));
  refuses("block", "eve", "'eve'", "handed an item");
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, ChangesOptionsWhileItRuns) {
  create();
  next("ann");
  EXPECT_EQ(
      done("change", "--lease 90s --labels-per-item 3 --gold-rate 0.2 --stop accuracy:0.9"),
      "campaign 'reviews' decides by budget-kg: leases of 90 s, labels per item: 3, per worker: "
      "any number, gold rate 0.2, stops at accuracy:0.9\n");
  done("change", "--labels-per-item any --stop never --policy uniform");
  EXPECT_EQ(done("change"),
            "campaign 'reviews' decides by uniform: leases of 90 s, labels per item: any number, "
            "per worker: any number, gold rate 0.2, stops when the budget is spent\n");
  refuses("change", "--lease soon", "--lease 'soon'", "90s, 10m, 2h");
  refuses("change", "--policy nope", "'nope'", "allot policies");
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, RecordsHowSureWorkersAre) {
  done("create", "--items " + items_ + " --classes no,yes --budget 5x --gold-rate 0 --ties first");
  const std::string first = next("ann");
  const std::string single = "--item " + first + " --worker ann --label yes --confidence ";
  const Outcome outcome = allot("campaign record " + db_ + " " + single + "1.5");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(has(outcome.errors, "--confidence '1.5'")) << outcome.errors;
  EXPECT_EQ(done("record", single + "0.75"), "1 recorded\n");
  const std::string old = folder_ / "old.csv";
  folder_.file("old.csv", "item,worker,label,sure\nr1,bob,no,0.5\nr2,bob,yes,\n");
  EXPECT_EQ(done("import", old + " --confidence-column sure"), "2 recorded\n");
  const std::string labels = done("export", "labels");
  EXPECT_TRUE(has(labels, ",leased,,,,true,0.75\n")) << labels;
  EXPECT_TRUE(has(labels, ",imported,,,,true,0.5\n")) << labels;
  EXPECT_TRUE(has(labels, ",imported,,,,true,\n")) << labels;
  folder_.file("old.csv", "item,worker,label,sure\nr1,cat,no,7\n");
  const Outcome wrong = allot("campaign import " + db_ + " " + old + " --confidence-column sure");
  EXPECT_TRUE(
      has(wrong.errors, "the confidence '7' is no probability; expected a number from 0 to 1"))
      << wrong.errors;
  const std::string second = next("ann");
  EXPECT_EQ(allot("campaign skip " + db_ + " " + second + " --worker ann --paid").status, 2);
  done("skip", second + " --worker ann --unsure --paid");
  EXPECT_EQ(number("spent"), "2");
  EXPECT_TRUE(has(done("export", "skips"), ",unsure,,,1\n"));
  EXPECT_TRUE(has(done("verify"), "no differences\n"));
}

TEST_F(CampaignCommand, ExportsWhatOtherProgramsRead) {
  create("--budget 10 --now 2026-03-01");
  next("ann", "--now 2026-03-01T10:00:00Z");
  done("record", "--item r1 --worker ann --label yes --now 2026-03-01T10:01:00.5Z");
  EXPECT_EQ(done("export", "labels --format crowd-kit"), "task,worker,label\nr1,ann,yes\n");
  EXPECT_EQ(done("export", "labels"),
            "item,worker,label,time,price,how,truth,seconds,note,counts,confidence\n"
            "r1,ann,yes,2026-03-01T10:01:00.500000Z,1,leased,,,,true,\n");
  EXPECT_TRUE(has(done("export", "results"),
                  "text,item,answer,probability,calibrated,labels,status"
                  "\n\"Good, really\",r1,yes,0."));
  EXPECT_TRUE(has(done("export", "results"), "Great,r4,yes,1,1,0,known\n"));
  EXPECT_TRUE(
      has(done("export", "answers --format crowd-kit"), "task,agg_label,confidence\nr1,yes,0."));
  EXPECT_TRUE(has(done("export", "probabilities"), "item,no,yes\nr1,0."));
  EXPECT_TRUE(has(done("export", "workers --format crowd-kit"), "worker,skill\nann,0."));
  const std::string events = folder_ / "events.jsonl";
  done("export", "events --format jsonl --output " + events);
  EXPECT_TRUE(has(read_file(events), "\"event\": \"answered\", \"key\": null, \"item\": \"r1\""));
  EXPECT_EQ(std::ranges::count(done("export", "events"), '\n'), 1 + 1 + 4 + 3);
  refuses("export", "events --format crowd-kit", "'crowd-kit'", "csv or jsonl");
  refuses("export", "everything", "WHAT 'everything'", "labels, answers, probabilities");
  // And this program reads it: majority of one label.
  const std::string labels = folder_ / "labels.csv";
  done("export", "labels --output " + labels);
  EXPECT_EQ(allot("aggregate " + labels + " --method majority --output -").status, 0);
}

TEST_F(CampaignCommand, ExplainsItemsAndTheNextChoice) {
  create();
  next("ann");
  done("record", "--item r1 --worker ann --label yes");
  const std::string item = done("explain", "r1 --worker ann");
  EXPECT_TRUE(has(item, "Item 'r1': open")) << item;
  EXPECT_TRUE(has(item, "A label of worker 'ann' (index ")) << item;
  const std::string choice = done("explain", "--next --worker ann");
  EXPECT_TRUE(has(choice, "Worker 'ann' would be asked about item 'r2'")) << choice;
  EXPECT_TRUE(has(choice, "equal to that of 'r3'; the tie rule decides")) << choice;
  EXPECT_EQ(next("ann"), "r2") << "as was said";
  EXPECT_TRUE(has(done("explain", "r2 --format json"), "\"pending\": 1"));
  refuses("explain", "", "ITEM is missing", "or --next");
  refuses("explain", "r9", "unknown item 'r9'", "one of 4 items");
}

TEST_F(CampaignCommand, AFileHoldsSeveralCampaigns) {
  create();
  refuses("create", "--items " + items_ + " --classes no,yes --budget 1",
          "campaign 'reviews' exists already", "--campaign");
  create("--budget 7 --campaign second");
  refuses("status", "", "the file has 'reviews', 'second'", "--campaign with one of them");
  refuses("status", "--campaign secnd", "--campaign 'secnd' is unknown", "did you mean 'second'?");
  EXPECT_TRUE(has(done("status", "--campaign second --format csv"), ",7,0,0,7,"));
  EXPECT_TRUE(
      has(done("list", "--format csv"), "\nsecond,running,\"no,yes\",budget-kg,4,0,0,7,0,"));
}

TEST_F(CampaignCommand, HostileIdsAreHarmlessInTables) {
  const std::string items = folder_.file(
      "hostile.csv", "id,text\n\"\x1b[2Jx\ny\",a\n" + std::string(100'000, 'z') + ",b\n");
  done("create", "--items " + items + " --classes no,yes --budget 9 --gold-rate 0 --ties first");
  done("next", "--worker $'w\\x1b[1m' --count 2");
  for (const std::string command : {"answers", "leases", "workers", "explain"}) {
    const std::string shown =
        done(command, command == "explain" ? "\"$(printf '\\033[2Jx\\ny')\"" : "");
    EXPECT_FALSE(has(shown, "\x1b")) << command;
    EXPECT_LT(shown.size(), 3000U) << command;
  }
  const std::string csv = done("answers", "--format csv");
  EXPECT_TRUE(has(csv, "\n\"\x1b[2Jx\ny\",,,,0,"));
  EXPECT_TRUE(has(csv, "\n" + std::string(100'000, 'z') + ",,,,0,"));
}

TEST_F(CampaignCommand, RefusesInvalidOptionsAndLeavesNoFile) {
  const auto refused = [&](const std::string& rest, const std::string& wrong,
                           const std::string& accepted) {
    refuses("create", "--items " + items_ + " " + rest, wrong, accepted);
    EXPECT_FALSE(std::filesystem::exists(db_)) << rest;
  };
  refused("--classes no,yes", "--budget is missing", "--help");
  refused("--classes yes --budget 5", "1 class;", "2 to 250");
  refused("--classes no,yes,no --budget 5", "class 'no' comes twice", "each once");
  refused("--classes \"$(printf 'no,y\\033es')\" --budget 5", "has the control character U+001B",
          "--classes");
  refused("--classes no,yes --budget many", "'many'", "12.50");
  refused("--classes no,yes --budget ten", "--budget 'ten'", "10x for ten labels per item");
  refused("--classes no,yes --budget 1000000x --price 9000", "--budget '1000000x'", "less");
  refused("--classes no,yes --budget 5 --campaign ''", "--campaign ''", "expected a name");
  refused("--classes no,yes --budget 0x", "--budget '0x'", "10x");
  refused("--classes no,yes --budget 5 --lease soon", "--lease 'soon'", "10m");
  refused("--classes no,yes --budget 5 --policy best", "'best'", "'allot policies' lists all");
  refused("--classes no,yes --budget 5 --refit off --refit-by em", "--refit-by 'em'", "--refit 20");
  refused("--classes no,yes --budget 5 --gold-rate 2", "--gold-rate '2'", "0 to 1");
  refused("--classes no,maybe --budget 5", "line 5: the known answer of item 'r4' is 'yes'",
          "one of 'no', 'maybe'");
  refused("--classes no,yes --budget 5 --now yesterday", "--now 'yesterday'", "2026-03-01");
  refused("--classes no,yes --budget 5 --id-column key", "no column holds the id", "named key");
}

TEST_F(CampaignCommand, RefusesALocationThatIsNone) {
  const std::string rest = " --classes no,yes --budget 5 --items " + items_;
  expect_refusal("campaign create ''" + rest, "FILE '' is empty", "path of a file");
  expect_refusal("campaign create postgresql:reviews" + rest, "'postgresql:...'",
                 "postgresql://user@host/name");
  expect_refusal("campaign create mysql://root:pw@host/x" + rest, "'mysql:...'", "postgresql://");
  expect_refusal("campaign status ''", "FILE '' is empty", "path of a file");
  EXPECT_FALSE(std::filesystem::exists("postgresql:reviews"));
}

TEST_F(CampaignCommand, ARefusedCopyLeavesNoFile) {
  create();
  done("next", "--worker ann");
  done("copy", folder_ / "good.db");
  const std::string damage =
      "sqlite3 " + db_ + " \"UPDATE record SET payload = x'00' WHERE sequence = 2\"";
  if (std::system(damage.c_str()) != 0) GTEST_SKIP() << "there is no sqlite3 to damage a file with";
  const std::string target = folder_ / "copy.db";
  EXPECT_EQ(run("copy", target).status, 1);
  for (const char* part : {"", "-wal", "-shm"})
    EXPECT_FALSE(std::filesystem::exists(target + part)) << part;
}

TEST_F(CampaignCommand, StatusAndAnswersReadTheSameBeliefs) {
  create();
  for (const char* worker : {"ann", "bob", "cyd"}) {
    for (int n = 0; n < 2; ++n) {
      const std::string item = next(worker);
      done("record",
           "--item " + item + " --worker " + worker + " --label " + (n == 0 ? "no" : "yes"));
    }
  }
  double sum = 0;
  int count = 0;
  std::istringstream rows(done("answers", "--format csv"));
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) {
    std::vector<std::string> fields;
    std::istringstream cells(row);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    if (fields[1].empty()) continue;
    sum += std::stod(fields[2]);
    ++count;
  }
  ASSERT_GT(count, 0);
  EXPECT_NEAR(std::stod(number("answers_expected_accuracy")), sum / count, 1e-6);
}

TEST_F(CampaignCommand, NamesTheHeaderLineOfItemsWithoutAnId) {
  const std::string items = folder_.file("bare.csv", "text\nGreat phone\n");
  refuses("create", "--classes no,yes --budget 5 --items " + items,
          "bare.csv: line 1: no column holds the id of the item", "named id, item, task");
}

TEST_F(CampaignCommand, SaysThatAFileDoesNotExist) {
  const Outcome outcome = allot("campaign status " + folder_ / "none.db");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome.errors, "does not exist; expected one made by 'allot campaign create'"))
      << outcome.errors;
}

}  // namespace
}  // namespace allot::test::campaign_test
