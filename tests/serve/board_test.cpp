// What the pages of requesters and workers are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "allot/campaign/campaign.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"
#include "allot/policy/multiclass_forecast.hpp"
#include "allot/store/sqlite_store.hpp"
#include "serve/chronicle.hpp"
#include "serve/course.hpp"
#include "serve/page.hpp"
#include "support/desk.hpp"

namespace allot::test {
namespace {

using http::Method;

Answered patch(Desk& desk, const std::string& path, const std::string& body) {
  return desk.ask({.method = Method::patch, .path = path, .token = desk.requester, .body = body});
}

std::string text_of(const json::value& value) { return std::string(value.as_string()); }
double number_of(const json::value& value) { return value.to_number<double>(); }

/// A campaign with a truth of all items but every fifth, and two gold ones.
std::string measured(Desk& desk, int items, const std::string& more = "") {
  const std::string path = desk.campaign(0, more);
  std::string list;
  for (int n = 0; n < items; ++n) {
    const std::string id = std::to_string(n);
    const std::string truth = n % 2 == 0 ? "yes" : "no";
    list += (list.empty() ? "" : ",") + ("{\"id\": \"i" + id) +
            "\", \"fields\": {\"text\": \"Text of " + id + "\", \"n\": " + id + "}" +
            (n < 2        ? ", \"gold\": \"" + truth + "\""
             : n % 5 == 4 ? std::string()
                          : ", \"truth\": \"" + truth + "\"") +
            "}";
  }
  EXPECT_EQ(desk.post(path + "/items", desk.requester, "{\"items\": [" + list + "]}").status, 201);
  return path;
}

/// Labels by workers of whom "good" is right nine times in ten, others twice in three.
void label(Desk& desk, const std::string& path, int labels, int from = 0) {
  for (int n = from; n < from + labels; ++n) {
    const std::string worker = n % 3 == 0 ? "good" : n % 3 == 1 ? "fair" : "poor";
    const Answered asked =
        desk.post(path + "/assignments", desk.requester, "{\"worker\": \"" + worker + "\"}");
    const auto& all = asked.json().at("assignments").as_array();
    if (all.empty()) return;
    const std::string item = text_of(all[0].at("item"));
    const bool wrong = worker == "good" ? n % 10 == 9 : n % 3 == n / 3 % 3;
    const bool yes = std::stoi(item.substr(1)) % 2 == (wrong ? 1 : 0);
    desk.now += 1'000'000;
    EXPECT_EQ(desk.post(path + "/labels", desk.requester,
                        "{\"worker\": \"" + worker + "\", \"item\": \"" + item +
                            "\", \"label\": \"" + (yes ? "yes" : "no") + "\"}")
                  .status,
              200);
  }
}

bool is_true(const std::string& item, const json::value& answer) {
  return (std::stoi(item.substr(1)) % 2 == 0) == (answer.as_string() == "yes");
}
bool has_truth(const std::string& item) {
  const int number = std::stoi(item.substr(1));
  return number >= 2 && number % 5 != 4;
}

TEST(Pages, AreKeptChangedAndShownToWorkers) {
  Desk desk;
  const std::string path =
      desk.campaign(1, R"(, "page": {"question": "Is it good?", "fields": {"text": "html"}})");
  const auto page = [&] { return desk.get(path, desk.requester).json().at("page"); };
  EXPECT_EQ(json::serialize(page()),
            R"({"question":"Is it good?","instructions":"","fields":{"text":"html"}})");
  const Answered changed = patch(desk, path, R"({"page": {"instructions": "**Look**"}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(page().at("question").as_string(), "Is it good?") << "what is not named stays";
  const json::value me = desk.get("/api/v1/me", desk.worker(path, "ann")).json();
  EXPECT_EQ(me.at("campaign").at("page"), page());
  EXPECT_EQ(me.at("campaign").at("phase").as_string(), "running");
  EXPECT_EQ(me.at("campaign").at("earned").to_number<double>(), 0);
  desk.reopen(Desk::generous());
  EXPECT_EQ(page().at("instructions").as_string(), "**Look**");
  EXPECT_EQ(page().at("fields").at("text").as_string(), "html");
  const Answered plain = desk.get(desk.campaign(), desk.requester);
  EXPECT_EQ(json::serialize(plain.json().at("page")),
            R"({"question":"","instructions":"","fields":{}})");
  for (const std::string& wrong :
       {std::string(R"({"page": 3})"), std::string(R"({"page": {"colour": "red"}})"),
        std::string(R"({"page": {"fields": {"text": "film"}}})"),
        std::string(R"({"page": {"fields": {"text": 1}}})")}) {
    EXPECT_EQ(patch(desk, path, wrong).status, 400) << wrong;
  }
  const auto long_text = [](const char* member, std::size_t bytes) {
    return "{\"page\": {\"" + std::string(member) + "\": \"" + std::string(bytes, 'x') + "\"}}";
  };
  EXPECT_EQ(patch(desk, path, long_text("question", 500)).status, 200);
  EXPECT_EQ(patch(desk, path, long_text("question", 501)).status, 413);
  EXPECT_EQ(patch(desk, path, long_text("instructions", 65536)).status, 200);
  EXPECT_EQ(patch(desk, path, long_text("instructions", 65537)).status, 413);
}

TEST(Pages, HiddenFieldsReachNoWorker) {
  Desk desk;
  const std::string path = desk.campaign(0, R"(, "page": {"fields": {"note": "hidden"}})");
  ASSERT_EQ(desk.post(path + "/items", desk.requester,
                      R"({"items": [{"id": "a", "fields": {"text": "T", "note": "secret"}}]})")
                .status,
            201);
  const std::string ann = desk.worker(path, "ann");
  const Answered asked = desk.post(path + "/assignments", ann);
  EXPECT_EQ(json::serialize(asked.json().at("assignments").at(0).at("fields")), R"({"text":"T"})");
  EXPECT_EQ(desk.get(path + "/assignments", ann).body.find("secret"), std::string::npos);
  EXPECT_NE(desk.get(path + "/assignments?worker=ann", desk.requester).body.find("secret"),
            std::string::npos);
  EXPECT_EQ(desk.get("/api/v1/me", ann).body.find("note"), std::string::npos);
  EXPECT_EQ(serve::shown({}, R"({"a": 1})"), R"({"a": 1})");
}

TEST(Truth, MeasuresAndReachesNoWorker) {
  Desk desk;
  // Without refits answers are what is believed now.
  const std::string path = measured(desk, 40, R"(, "refit": "off")");
  label(desk, path, 60);
  const json::value answers = desk.get(path + "/answers?limit=1000", desk.requester).json();
  double right = 0, squares = 0;
  int count = 0;
  for (const json::value& one : answers.at("answers").as_array()) {
    const std::string item = text_of(one.at("item"));
    if (!has_truth(item)) continue;
    ++count;
    const bool hit = is_true(item, one.at("answer"));
    right += hit;
    squares += std::pow(number_of(one.at("probability")) - (hit ? 1 : 0), 2);
  }
  const json::value status = desk.get(path + "/status", desk.requester).json();
  EXPECT_EQ(status.at("truths").as_int64(), count);
  EXPECT_DOUBLE_EQ(number_of(status.at("accuracy")), right / count);
  const json::value found = desk.get(path + "/calibration", desk.requester).json();
  EXPECT_EQ(found.at("items").as_int64(), count);
  EXPECT_DOUBLE_EQ(number_of(found.at("accuracy")), right / count);
  EXPECT_NEAR(number_of(found.at("brier")), squares / count, 1e-12);
  double error = 0;
  int binned = 0;
  for (const json::value& bin : found.at("bins").as_array()) {
    double expected = 0, hits = 0;
    int inside = 0;
    for (const json::value& one : answers.at("answers").as_array()) {
      const std::string item = text_of(one.at("item"));
      const double p = number_of(one.at("probability"));
      const double high = number_of(bin.at("high"));
      if (!has_truth(item) || p < number_of(bin.at("low")) || p > high || (p == high && p < 1)) {
        continue;
      }
      ++inside;
      expected += p;
      hits += is_true(item, one.at("answer"));
    }
    EXPECT_EQ(bin.at("items").as_int64(), inside);
    binned += inside;
    if (inside == 0) {
      EXPECT_TRUE(bin.at("expected").is_null());
      continue;
    }
    EXPECT_NEAR(number_of(bin.at("expected")), expected / inside, 1e-8);
    EXPECT_DOUBLE_EQ(number_of(bin.at("right")), hits / inside);
    error += std::abs(expected - hits) / count;
  }
  EXPECT_EQ(binned, count);
  EXPECT_NEAR(number_of(found.at("expected_calibration_error")), error, 1e-8);
  // Nothing of it for workers.
  const std::string ann = desk.worker(path, "ann");
  const Answered asked = desk.post(path + "/assignments", ann, R"({"count": 30})");
  const Answered me = desk.get("/api/v1/me", ann);
  for (const Answered* one : {&asked, &me}) {
    for (const char* word : {"truth", "gold", "accura"}) {
      EXPECT_EQ(one->body.find(word), std::string::npos) << one->body;
    }
  }
  for (const char* what : {"/curve", "/map", "/asked", "/items", "/items/i2", "/item?id=i2",
                           "/rate", "/calibration", "/status"}) {
    EXPECT_EQ(desk.get(path + what, ann).code(), "wrong_role") << what;
  }
  EXPECT_EQ(desk.post(path + "/twin", ann, R"({"policy": "opt-kg"})").code(), "wrong_role");
  EXPECT_EQ(desk.post("/api/v1/forecast", ann, R"({"items": 5, "budget": 5})").code(),
            "wrong_role");
  const Answered wrong =
      desk.post(path + "/items", desk.requester, R"({"items": [{"id": "x", "truth": "maybe"}]})");
  EXPECT_GE(wrong.status, 400);
  EXPECT_NE(wrong.text("detail").find("maybe"), std::string::npos);
  const Answered none = desk.get(desk.campaign() + "/calibration", desk.requester);
  EXPECT_EQ(none.json().at("items").as_int64(), 0);
  EXPECT_TRUE(none.json().at("accuracy").is_null());
}

TEST(Truth, ComesWithUploadsToo) {
  Desk desk;
  const std::string path = desk.campaign(0);
  Ask upload{Method::post, path + "/items/upload?truth=is", desk.requester, ""};
  upload.upload = "id,text,is\na,A,yes\nb,B,\nc,C,no\n";
  upload.fields.emplace_back("Content-Type", "text/csv");
  EXPECT_EQ(desk.ask(std::move(upload)).status, 201);
  const json::value items = desk.get(path + "/items", desk.requester).json();
  EXPECT_EQ(items.at("items").at(0).at("truth").as_string(), "yes");
  EXPECT_TRUE(items.at("items").at(1).at("truth").is_null());
  const Answered asked =
      desk.post(path + "/assignments", desk.worker(path, "ann"), R"({"count": 3})");
  EXPECT_EQ(json::serialize(asked.json().at("assignments").at(0).at("fields")).find("is"),
            std::string::npos);
}

TEST(Undo, AWorkerRevisesTheLastLabelWhileItsTimeLasts) {
  Desk desk;
  const std::string path = desk.campaign(6, R"(, "gold_rate": 1, "lease": "10m")");
  EXPECT_EQ(desk.post(path + "/items", desk.requester,
                      R"({"items": [{"id": "g0", "gold": "yes"}, {"id": "g1", "gold": "no"}]})")
                .status,
            201);
  const std::string ann = desk.worker(path, "ann"), bob = desk.worker(path, "bob");
  const auto give = [&](const std::string& token, const std::string& item, const char* label,
                        const char* more) {
    return desk.post(path + "/labels", token,
                     "{\"item\": \"" + item + "\", \"label\": \"" + label + "\"" + more + "}");
  };
  const auto outcome = [](const Answered& one) {
    return one.status == 200 ? text_of(one.json().at("labels").at(0).at("outcome")) : one.code();
  };
  const char* const revise = ", \"revise\": true";
  const auto handed = desk.post(path + "/assignments", ann, R"({"count": 4})");
  std::vector<std::string> items;
  for (const auto& one : handed.json().at("assignments").as_array()) {
    items.push_back(text_of(one.at("item")));
  }
  ASSERT_EQ(items.size(), 4U);
  EXPECT_TRUE(std::ranges::count_if(items, [](const auto& one) { return one[0] == 'g'; }) == 2);
  // Gold or not, all of it is answered the same.
  for (const std::string& item : items) {
    EXPECT_EQ(outcome(give(ann, item, "yes", "")), "recorded") << item;
    EXPECT_EQ(outcome(give(ann, item, "no", "")), "conflict");
    EXPECT_EQ(outcome(give(ann, item, "no", revise)), "revised");
    EXPECT_EQ(outcome(give(ann, item, "no", revise)), "already");
    EXPECT_EQ(outcome(give(ann, item, "yes", revise)), "revised");
    EXPECT_EQ(outcome(give(bob, item, "yes", revise)), "forbidden");
  }
  for (std::size_t n = 0; n + 1 < items.size(); ++n) {
    EXPECT_EQ(outcome(give(ann, items[n], "no", revise)), "forbidden") << "not the last";
    EXPECT_EQ(give(ann, items[n], "no", revise).body, give(ann, items[0], "no", revise).body);
  }
  EXPECT_EQ(outcome(give(ann, items.back(), "no", ", \"revise\": true, \"next\": 1")), "revised");
  EXPECT_EQ(desk.post(path + "/labels", ann,
                      "{\"revise\": true, \"labels\": [{\"item\": \"" + items.back() +
                          "\", \"label\": \"yes\"}]}")
                .status,
            403);
  int revisions = 0;
  while (outcome(give(ann, items.back(), revisions % 2 == 0 ? "yes" : "no", revise)) == "revised") {
    ASSERT_LT(++revisions, 20) << "each costs a fit, so there is an end";
  }
  EXPECT_GT(revisions, 10);
  const Answered refused = give(ann, items.back(), revisions % 2 == 0 ? "yes" : "no", revise);
  EXPECT_NE(refused.text("detail").find("20 times"), std::string::npos) << refused.body;
  EXPECT_EQ(outcome(give(ann, items.back(), revisions % 2 == 0 ? "no" : "yes", revise)), "already");
  desk.reopen(Desk::generous());
  const char* const other = revisions % 2 == 0 ? "yes" : "no";
  EXPECT_EQ(outcome(give(ann, items.back(), other, revise)), "revised") << "also after a start";
  desk.now += 600'000'000;
  EXPECT_EQ(outcome(give(ann, items.back(), revisions % 2 == 0 ? "no" : "yes", revise)),
            "forbidden")
      << "the time is over";
  EXPECT_EQ(desk.post(path + "/labels", desk.requester,
                      "{\"worker\": \"ann\", \"revise\": true, \"label\": \"no\", \"item\": \"" +
                          items.back() + "\"}")
                .status,
            200)
      << "an owner may";
  // What a worker earned.
  const json::value me = desk.get("/api/v1/me", ann).json().at("campaign");
  EXPECT_EQ(me.at("labels").as_int64(), 4);
  EXPECT_EQ(number_of(me.at("earned")), 4);
}

TEST(Undo, NotInACampaignThatIsClosed) {
  Desk desk;
  const std::string path = desk.campaign(2);
  const std::string ann = desk.worker(path, "ann");
  const std::string item =
      text_of(desk.post(path + "/assignments", ann).json().at("assignments").at(0).at("item"));
  const std::string body = "{\"item\": \"" + item + "\", \"label\": ";
  EXPECT_EQ(desk.post(path + "/labels", ann, body + "\"yes\"}").status, 200);
  EXPECT_EQ(desk.post(path + "/close", desk.requester).status, 200);
  EXPECT_EQ(desk.post(path + "/labels", ann, body + "\"no\", \"revise\": true}").status, 403);
}

TEST(Curve, IsWhatAReplayOfTheLedgerSays) {
  Desk desk;
  const std::string path = measured(desk, 30), id = path.substr(path.rfind('/') + 1);
  EXPECT_EQ(desk.get(path + "/curve", desk.requester).json().at("points").as_array().size(), 1U)
      << "now, before anything";
  label(desk, path, 30);
  desk.reopen(Desk::generous());
  label(desk, path, 15, 30);
  const Answered got = desk.get(path + "/curve", desk.requester);
  const json::array points = got.json().at("points").as_array();
  ASSERT_EQ(points.size(), 46U) << "of every label, and the first of none";
  EXPECT_EQ(desk.ask({.path = path + "/curve",
                      .token = desk.requester,
                      .fields = {{"If-None-Match", got.field("ETag")}}})
                .status,
            304);
  // The same events in a store of our own, and what is believed after each.
  const std::string file = desk.data() + "/campaigns/" + id + ".db";
  const auto from = store::open_sqlite(file, {.mode = store::OpenMode::read}).value();
  const std::string name = from->campaigns()->front();
  const auto records = from->read(name, 0, 10'000).value();
  std::size_t at = 0;
  for (const json::value& point : points) {
    const auto event = static_cast<std::uint64_t>(point.at("event").as_int64());
    const auto to = store::memory_store();
    std::vector<store::Draft> drafts(records.begin(),
                                     records.begin() + static_cast<std::ptrdiff_t>(event));
    ASSERT_TRUE(to->append(name, 0, drafts));
    const auto replayed = *campaign::Campaign::open(*to, name);
    const campaign::Status status = *replayed->status();
    EXPECT_EQ(point.at("labels").as_int64(), static_cast<std::int64_t>(status.labels));
    EXPECT_EQ(status.labels, at++);
    EXPECT_EQ(number_of(point.at("spent")), status.spent.value());
    EXPECT_DOUBLE_EQ(number_of(point.at("expected_accuracy")), status.expected_accuracy);
    EXPECT_DOUBLE_EQ(number_of(point.at("accuracy")), *status.accuracy);
    EXPECT_DOUBLE_EQ(number_of(point.at("bound")), *status.bound);
  }
}

TEST(Curve, KeepsFiveHundredPointsEvenlySpread) {
  std::vector<serve::Point> points;
  for (std::uint64_t n = 0; n < 100; ++n) points.push_back({.labels = n * 3});
  const auto kept = serve::thinned(points, 10);
  for (std::size_t n = 1; n < kept.size(); ++n) {
    EXPECT_EQ(kept[n].labels, kept[n - 1].labels + 12) << "the first that is 10 further on";
  }
  Desk desk;
  const std::string path = desk.campaign(20);
  const std::string ann = desk.worker(path, "ann");
  for (int n = 0; n < 1300; ++n) {
    const std::string worker = "w" + std::to_string(n / 20);
    const Answered asked =
        desk.post(path + "/assignments", desk.requester, "{\"worker\": \"" + worker + "\"}");
    const std::string item = text_of(asked.json().at("assignments").at(0).at("item"));
    desk.post(path + "/labels", desk.requester,
              "{\"worker\": \"" + worker + "\", \"label\": \"yes\", \"item\": \"" + item + "\"}");
  }
  const auto check = [&] {
    const json::value curve = desk.get(path + "/curve", desk.requester).json();
    const json::array& all = curve.at("points").as_array();
    EXPECT_LE(all.size(), 500U);
    EXPECT_GE(all.size(), 200U);
    EXPECT_EQ(all.front().at("labels").as_int64(), 0);
    EXPECT_EQ(all.back().at("labels").as_int64(), 1300);
    for (std::size_t n = 1; n < all.size(); ++n) {
      const auto step = all[n].at("labels").as_int64() - all[n - 1].at("labels").as_int64();
      EXPECT_GE(step, n + 1 < all.size() ? 2 : 1);
      EXPECT_LE(step, 9);
    }
    return all.size();
  };
  const std::size_t before = check();
  desk.reopen(Desk::generous());
  EXPECT_EQ(check(), before);
}

TEST(Board, TheMapCountsEveryItemOnce) {
  Desk desk;
  const std::string path = measured(desk, 40, R"(, "labels_an_item": 3)");
  label(desk, path, 70);
  const json::value map = desk.get(path + "/map", desk.requester).json();
  const auto edges = [&](const char* name) {
    std::vector<double> all;
    for (const json::value& one : map.at(name).as_array()) all.push_back(number_of(one));
    return all;
  };
  const auto certainty = edges("certainty"), labels = edges("labels");
  EXPECT_TRUE(std::ranges::is_sorted(certainty));
  EXPECT_EQ(certainty.front(), 0.5);
  EXPECT_EQ(certainty.back(), 1);
  std::map<std::string, std::vector<std::vector<int>>> counts;
  for (const char* part : {"open", "settled"}) {
    counts[part].assign(certainty.size() - 1, std::vector<int>(labels.size() - 1));
  }
  const json::value items = desk.get(path + "/items?limit=1000", desk.requester).json();
  for (const json::value& one : items.at("items").as_array()) {
    if (one.at("state").as_string() == "gold") continue;
    const double p = number_of(one.at("probability")), n = number_of(one.at("labels"));
    std::size_t row = 0, column = 0;
    while (row + 2 < certainty.size() && p >= certainty[row + 1]) ++row;
    while (column + 2 < labels.size() && n >= labels[column + 1]) ++column;
    ++counts[one.at("state").as_string() == "settled" ? "settled" : "open"][row][column];
  }
  int settled = 0;
  for (const char* part : {"open", "settled"}) {
    const auto& rows = map.at(part).as_array();
    ASSERT_EQ(rows.size(), counts[part].size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c + 1 < labels.size(); ++c) {
        EXPECT_EQ(rows[r].at(c).as_int64(), counts[part][r][c]) << part << r << " " << c;
        settled += part[0] == 's' ? counts[part][r][c] : 0;
      }
    }
  }
  EXPECT_GT(settled, 0);
  const std::string four =
      desk.post("/api/v1/campaigns", desk.requester,
                R"({"name": "x", "classes": ["a", "b", "c", "d"], "budget": 9})")
          .field("Location");
  EXPECT_EQ(number_of(desk.get(four + "/map", desk.requester).json().at("certainty").at(0)), 0.25);
}

TEST(Board, TellsWhoIsAskedWhatAndWhy) {
  Desk desk;
  const std::string path = measured(desk, 10, R"(, "gold_rate": 0)");
  std::vector<std::string> given;
  for (const char* worker : {"ann", "bob", "cid"}) {
    desk.now += 1'000'000;
    const Answered asked = desk.post(path + "/assignments", desk.requester,
                                     "{\"worker\": \"" + std::string(worker) + "\"}");
    given.push_back(text_of(asked.json().at("assignments").at(0).at("item")));
  }
  const json::value all = desk.get(path + "/asked", desk.requester).json();
  const json::array& asked = all.at("asked").as_array();
  ASSERT_EQ(asked.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(asked[n].at("item").as_string(), given[2 - n]) << "newest first";
    EXPECT_EQ(asked[n].at("why").at("reason").as_string(), "chosen");
    const json::value why = desk.get(path + "/explain?item=" + given[2 - n] +
                                         "&worker=" + text_of(asked[n].at("worker")),
                                     desk.requester)
                                .json();
    EXPECT_EQ(asked[n].at("why").at("value"), why.at("value"));
    EXPECT_EQ(asked[n].at("why").at("outlook"), why.at("outlook"));
    EXPECT_EQ(asked[n].at("probabilities"), why.at("probabilities"));
    EXPECT_EQ(asked[n].at("fields"), why.at("fields"));
  }
  EXPECT_EQ(desk.get(path + "/asked?limit=1", desk.requester).json().at("asked").as_array().size(),
            1U);
  EXPECT_EQ(desk.get(path + "/asked?limit=0", desk.requester).status, 400);
}

TEST(Board, ItemsAreFoundSortedAndPaged) {
  Desk desk;
  const std::string path = measured(desk, 30, R"(, "labels_an_item": 3)");
  label(desk, path, 50);
  const auto rows = [&](const std::string& query) {
    std::vector<json::value> all;
    std::string cursor;
    do {
      const Answered page =
          desk.get(path + "/items?limit=7" + query + (cursor.empty() ? "" : "&cursor=" + cursor),
                   desk.requester);
      EXPECT_EQ(page.status, 200) << page.body;
      if (page.status != 200) break;
      for (const json::value& one : page.json().at("items").as_array()) all.push_back(one);
      cursor = page.json().at("next").is_null() ? "" : page.text("next");
    } while (!cursor.empty());
    return all;
  };
  const auto ids = [&](const std::string& query) {
    std::vector<std::string> all;
    for (const json::value& one : rows(query)) all.push_back(text_of(one.at("item")));
    return all;
  };
  const auto plain = rows("");
  ASSERT_EQ(plain.size(), 30U);
  for (std::size_t n = 0; n < plain.size(); ++n) {
    EXPECT_EQ(plain[n].at("item").as_string(), "i" + std::to_string(n));
    EXPECT_EQ(plain[n].at("text").as_string(),
              "Text of " + std::to_string(n) + " | " + std::to_string(n));
    const json::value why =
        desk.get(path + "/explain?item=i" + std::to_string(n), desk.requester).json();
    if (n < 2) continue;
    EXPECT_EQ(plain[n].at("probability"),
              why.at("probabilities").at(text_of(plain[n].at("answer"))));
    EXPECT_EQ(plain[n].at("settled"), why.at("settled"));
  }
  for (const std::string order : {"certainty", "labels"}) {
    const std::string key = order == "labels" ? "labels" : "probability";
    for (const bool down : {false, true}) {
      auto expected = plain;
      std::ranges::stable_sort(expected, [&](const json::value& a, const json::value& b) {
        return number_of(a.at(key)) < number_of(b.at(key));
      });
      if (down) std::ranges::reverse(expected);
      const auto sorted = rows("&order=" + order + (down ? "&direction=down" : ""));
      EXPECT_EQ(sorted, expected) << order << down;
    }
  }
  for (const std::string state : {"open", "asked", "settled", "gold"}) {
    std::vector<std::string> expected;
    for (const json::value& one : plain) {
      const std::string now = text_of(one.at("state"));
      if (now == state || (state == "open" && now == "asked")) {
        expected.push_back(text_of(one.at("item")));
      }
    }
    EXPECT_EQ(ids("&state=" + state), expected) << state;
  }
  EXPECT_EQ(ids("&search=text%20of"), std::vector<std::string>()) << "the desk decodes nothing";
  EXPECT_EQ(ids("&search=of 12"), std::vector<std::string>{"i12"});
  EXPECT_EQ(ids("&search=I2"), (std::vector<std::string>{"i2", "i20", "i21", "i22", "i23", "i24",
                                                         "i25", "i26", "i27", "i28", "i29"}));
  EXPECT_EQ(ids("&search=TEXT OF 3&order=labels"), std::vector<std::string>{"i3"});
  for (const char* wrong : {"order=colour", "state=red", "direction=left", "cursor=x", "cursor=1",
                            "cursor=,1", "cursor=a,1", "cursor=1,2,3"}) {
    EXPECT_EQ(desk.get(path + "/items?" + wrong, desk.requester).status, 400) << wrong;
  }
}

TEST(Board, AnItemHasItsWholeHistory) {
  Desk desk;
  const std::string path = desk.campaign(1, R"(, "lease": "10m")");
  const auto work = [&](const char* what, const std::string& worker, const std::string& more) {
    desk.now += 1'000'000;
    return desk.post(path + what, desk.requester, "{\"worker\": \"" + worker + "\"" + more + "}")
        .status;
  };
  const std::string item = ", \"item\": \"i0\"";
  EXPECT_EQ(work("/assignments", "ann", ""), 200);
  EXPECT_EQ(work("/labels", "ann", item + ", \"label\": \"yes\""), 200);
  EXPECT_EQ(work("/assignments", "bob", ""), 200);
  EXPECT_EQ(work("/skip", "bob", item), 200);
  EXPECT_EQ(work("/assignments", "cid", ""), 200);
  EXPECT_EQ(work("/release", "cid", item), 200);
  EXPECT_EQ(work("/assignments", "dan", ""), 200);
  const auto history = [&] {
    const json::value one = desk.get(path + "/items/i0", desk.requester).json();
    EXPECT_EQ(one, desk.get(path + "/item?id=i0", desk.requester).json());
    return one;
  };
  EXPECT_EQ(history().at("history").as_array().size(), 7U);
  desk.now += 700'000'000;
  EXPECT_EQ(work("/labels", "ann", item + ", \"label\": \"no\", \"revise\": true"), 200);
  EXPECT_EQ(
      desk.post(path + "/settle", desk.requester, R"({"item": "i0", "reason": "dull"})").status,
      200);
  const json::value one = history();
  std::vector<std::string> what;
  for (const json::value& row : one.at("history").as_array())
    what.push_back(text_of(row.at("what")));
  EXPECT_EQ(what,
            (std::vector<std::string>{"leased", "labelled", "leased", "skipped", "leased",
                                      "released", "leased", "expired", "revised", "settled"}));
  const json::array& rows = one.at("history").as_array();
  EXPECT_EQ(rows[1].at("label").as_string(), "yes");
  EXPECT_EQ(rows[8].at("label").as_string(), "no");
  EXPECT_EQ(rows[9].at("detail").as_string(), "dull");
  EXPECT_TRUE(rows[0].at("probabilities").is_null());
  EXPECT_NEAR(number_of(rows[8].at("probabilities").at("no")),
              number_of(one.at("probabilities").at("no")), 1e-9);
  EXPECT_GT(number_of(rows[1].at("probabilities").at("yes")), 0.5);
  EXPECT_EQ(one.at("settled").as_string(), "dull");
  EXPECT_EQ(one.at("fields").at("text").as_string(), "text of i0");
  // The events that the ledger has of it are these.
  const json::value events = desk.get(path + "/events?limit=1000", desk.requester).json();
  std::vector<std::int64_t> numbers, expected;
  for (const json::value& row : rows) numbers.push_back(row.at("event").as_int64());
  for (const json::value& event : events.at("events").as_array()) {
    if (!event.at("item").is_null()) expected.push_back(event.at("sequence").as_int64());
  }
  EXPECT_EQ(numbers, expected);
  EXPECT_EQ(desk.get(path + "/items/none", desk.requester).status, 404);
  EXPECT_EQ(desk.get(path + "/item", desk.requester).status, 400);
  EXPECT_EQ(desk.post(path + "/items", desk.requester, R"({"items": [{"id": "a/b c"}]})").status,
            201);
  EXPECT_EQ(desk.get(path + "/item?id=a/b c", desk.requester).json().at("item").as_string(),
            "a/b c");
}

TEST(Board, LabelsAMinuteAreThoseOfTheEvents) {
  Desk desk;
  const std::string path = measured(desk, 30);
  desk.now = 1'800'000'000'000'000;
  label(desk, path, 10);
  desk.now += 3'000'000'000;
  const auto counted = [&] {
    const json::value rate = desk.get(path + "/rate", desk.requester).json();
    std::map<std::string, std::int64_t> told, expected;
    EXPECT_EQ(rate.at("minutes").as_array().size(), 60U);
    for (const json::value& one : rate.at("minutes").as_array()) {
      if (one.at("labels").as_int64() > 0)
        told[text_of(one.at("time"))] = one.at("labels").as_int64();
    }
    std::int64_t all = 0;
    const std::string first = text_of(rate.at("minutes").at(0).at("time"));
    const json::value events = desk.get(path + "/events?limit=1000", desk.requester).json();
    for (const json::value& one : events.at("events").as_array()) {
      if (one.at("event").as_string() != "answered") continue;
      const std::string minute = text_of(one.at("time")).substr(0, 16);
      if (minute >= first.substr(0, 16)) ++expected[minute + ":00Z"], ++all;
    }
    EXPECT_EQ(told, expected);
    return all;
  };
  EXPECT_EQ(counted(), 10);
  label(desk, path, 15, 10);
  EXPECT_EQ(counted(), 25);
  desk.now += 1'200'000'000;
  EXPECT_EQ(counted(), 15) << "the first ten are more than an hour ago";
  desk.reopen(Desk::generous());
  EXPECT_EQ(counted(), 15);
}

TEST(Twins, AreMadeOnceAKeyAlsoAfterARestart) {
  Desk desk;
  const std::string path = measured(desk, 3, "");
  const auto make = [&](const std::string& body) {
    return desk.ask(
        {Method::post, path + "/twin", desk.requester, body, {{"Idempotency-Key", "k"}}});
  };
  const Answered made = make(R"({"policy": "uniform"})");
  ASSERT_EQ(made.status, 201) << made.body;
  desk.reopen(Desk::generous());
  const Answered again = make(R"({"policy": "uniform"})");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.text("id"), made.text("id"));
  EXPECT_EQ(make(R"({"policy": "kg"})").status, 422);
}

TEST(Items, OfAClassThatThereIsNotAreNamed) {
  Desk desk;
  const std::string path = desk.campaign(0);
  for (const char* member : {"gold", "truth"}) {
    const Answered refused =
        desk.post(path + "/items", desk.requester,
                  R"({"items": [{"id": "odd", ")" + std::string(member) + R"(": "maybe"}]})");
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_NE(refused.body.find("odd"), std::string::npos) << refused.body;
  }
}

TEST(Twins, HaveTheSameItemsAndAnotherPolicy) {
  Desk desk;
  const std::string path =
      measured(desk, 12, R"(, "page": {"question": "Which?"}, "labels_an_item": 4)");
  EXPECT_EQ(desk.post(path + "/items", desk.requester,
                      R"({"items": [{"id": "i99", "price": 7, "fields": {"a": 1}}]})")
                .status,
            201);
  EXPECT_EQ(
      desk.ask({Method::put, path + "/prices", desk.requester, R"({"worker": "good", "price": 2})"})
          .status,
      200);
  label(desk, path, 10);
  const Answered made =
      desk.post(path + "/twin", desk.requester, R"({"policy": "least-labelled"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.text("twin_of"), path.substr(path.rfind('/') + 1));
  EXPECT_EQ(made.text("name"), "Reviews (least-labelled)");
  const std::string twin = made.field("Location");
  const json::value first = desk.get(path, desk.requester).json();
  const json::value second = desk.get(twin, desk.requester).json();
  EXPECT_EQ(second.at("options").at("policy").as_string(), "least-labelled");
  for (const char* same : {"budget", "items", "gold", "page"}) {
    EXPECT_EQ(first.at(same), second.at(same)) << same;
  }
  EXPECT_EQ(second.at("labels").as_int64(), 0);
  EXPECT_EQ(number_of(second.at("spent")), 0);
  for (const char* item : {"i0", "i3", "i4", "i99"}) {
    const json::value one = desk.get(path + "/items/" + item, desk.requester).json();
    const json::value other = desk.get(twin + "/items/" + item, desk.requester).json();
    for (const char* same : {"fields", "price", "gold", "truth"}) {
      EXPECT_EQ(one.at(same), other.at(same)) << item << same;
    }
  }
  const json::value workers = desk.get(twin + "/workers", desk.requester).json();
  EXPECT_EQ(number_of(workers.at("workers").at(0).at("price")), 2);
  const json::value list = desk.get("/api/v1/campaigns", desk.requester).json();
  int twins = 0;
  for (const json::value& one : list.at("campaigns").as_array())
    twins += !one.at("twin_of").is_null();
  EXPECT_EQ(twins, 1);
  const Answered named = desk.post(path + "/twin", desk.requester,
                                   R"({"policy": "kg", "name": "Other", "budget": 5})");
  EXPECT_EQ(named.text("name"), "Other");
  EXPECT_EQ(number_of(desk.get(named.field("Location"), desk.requester).json().at("budget")), 5);
  for (const char* wrong : {"{}", R"({"policy": "magic"})", R"({"policy": "kg", "name": ""})"}) {
    EXPECT_EQ(desk.post(path + "/twin", desk.requester, wrong).status, 400) << wrong;
  }
}

/// Where answers are all but sure a forecast stops early, and what it says is still in order.
TEST(Forecasts, OfManyLabelsAreInOrder) {
  Desk desk;
  const json::value got = desk.post("/api/v1/forecast", desk.requester,
                                    R"({"items": 54, "budgets": [1600, 54, 270, 1000],
                                        "reliability": 0.8})")
                              .json();
  double labels = 0, accuracy = 0, bound = 0;
  for (const json::value& row : got.at("rows").as_array()) {
    EXPECT_GT(number_of(row.at("labels")), labels);
    EXPECT_GE(number_of(row.at("accuracy")), accuracy);
    EXPECT_GE(number_of(row.at("accuracy")), number_of(row.at("equal")) - 1e-9);
    EXPECT_LE(number_of(row.at("accuracy")), number_of(row.at("bound")) + 1e-9);
    EXPECT_GE(number_of(row.at("bound")), bound);
    labels = number_of(row.at("labels"));
    accuracy = number_of(row.at("accuracy"));
    bound = number_of(row.at("bound"));
  }
  EXPECT_EQ(labels, 1600);
  EXPECT_GT(accuracy, 0.98);
}

TEST(Forecasts, AreThoseOfThePlanner) {
  Desk desk;
  const auto ask = [&](const std::string& body) {
    return desk.post("/api/v1/forecast", desk.requester, body);
  };
  const json::value got =
      ask(R"({"items": 200, "budgets": [10, 50, 5000], "price": 0.05, "labels_an_item": 20})")
          .json();
  policy::Forecast adaptive("opt-kg", model::Prior::uniform(), 200);
  policy::Forecast equal("least-labelled", model::Prior::uniform(), 200);
  policy::BudgetCurve bound = policy::budget_curve(model::Prior::uniform());
  const std::vector<double> labels{200, 1000, 4000};
  ASSERT_EQ(got.at("rows").as_array().size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    const json::value& row = got.at("rows").at(n);
    EXPECT_EQ(number_of(row.at("labels")), labels[n]);
    EXPECT_DOUBLE_EQ(number_of(row.at("accuracy")), adaptive.accuracy(labels[n]));
    EXPECT_DOUBLE_EQ(number_of(row.at("equal")), equal.accuracy(labels[n]));
    EXPECT_DOUBLE_EQ(number_of(row.at("bound")),
                     bound.accuracy_for_budget(labels[n] / 200).accuracy);
    EXPECT_LT(number_of(row.at("low")), number_of(row.at("accuracy")));
    EXPECT_GT(number_of(row.at("high")), number_of(row.at("accuracy")));
    EXPECT_LE(number_of(row.at("equal")), number_of(row.at("accuracy")));
  }
  const json::value coins = ask(R"({"items": 1000, "budget": 5000, "reliability": 0.8})").json();
  // Five votes of workers who are right four times in five, as a sum over what they may say.
  const double majority = 0.32768 + 5 * 0.4096 * 0.2 + 10 * 0.512 * 0.04;
  EXPECT_NEAR(number_of(coins.at("rows").at(0).at("equal")), majority, 0.02);
  for (const char* wrong :
       {"{}", R"({"items": 5})", R"({"items": 0, "budget": 1})", R"({"items": 5, "budget": "x"})",
        R"({"items": 5, "budget": 5, "classes": 1})", R"({"items": 5, "budget": 5, "price": 0})",
        R"({"items": 5, "budget": 5, "classes": 3, "prior": "beta:1,1"})",
        R"({"items": 5, "budget": 5, "classes": 3, "reliability": 0.2})",
        R"({"items": 5, "budget": 5, "reliability": 0.2})",
        R"({"items": 5, "budget": 5, "prior": "odd"})"}) {
    EXPECT_EQ(ask(wrong).status, 400) << wrong;
  }
  EXPECT_EQ(ask(R"({"items": 5, "budget": 5, "classes": 21})").code(), "too_large");
}

TEST(Forecasts, OfSeveralClassesAreThoseOfTheModel) {
  Desk desk;
  const auto rows = [&](const std::string& more) {
    return desk
        .post(
            "/api/v1/forecast", desk.requester,
            R"({"items": 20000, "budgets": [5000, 1000], "price": 0.05, "classes": 4)" + more + "}")
        .json()
        .at("rows");
  };
  const std::vector<double> labels{20'000, 100'000};
  const auto expect = [&](const json::value& got, const auto& model) {
    const auto expected = policy::multiclass_forecast(model, 20'000, labels);
    ASSERT_EQ(got.as_array().size(), 2U);
    for (std::size_t n = 0; n < 2; ++n) {
      const json::value& row = got.at(n);
      EXPECT_EQ(number_of(row.at("labels")), labels[n]);
      EXPECT_DOUBLE_EQ(number_of(row.at("accuracy")), expected[n].opt_kg);
      EXPECT_DOUBLE_EQ(number_of(row.at("equal")), expected[n].equal);
      EXPECT_LT(number_of(row.at("low")), number_of(row.at("accuracy")));
      EXPECT_GT(number_of(row.at("high")), number_of(row.at("accuracy")));
      EXPECT_EQ(number_of(row.at("bound")), 1);
    }
  };
  expect(rows(R"(, "reliability": 0.7)"), policy::ClearItems{4, 0.7});
  expect(rows(""), model::DirichletPrior::symmetric(4));
  expect(rows(R"(, "prior": "dirichlet:2,1,1,1")"), model::DirichletPrior::dirichlet({2, 1, 1, 1}));
}

}  // namespace
}  // namespace allot::test
