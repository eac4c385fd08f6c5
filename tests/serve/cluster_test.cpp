// Several servers on one database.
#include "serve/cluster.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <thread>

#include "allot/campaign/campaign.hpp"
#include "allot/store/postgres_store.hpp"
#include "serve/forwarder.hpp"
#include "serve/service.hpp"
#include "support/http_client.hpp"
#include "support/postgres_server.hpp"
#include "support/test_api.hpp"

namespace allot::test::cluster_test {
namespace {

/// A server with its own address.
class Node {
 public:
  explicit Node(const std::string& location,
                std::chrono::milliseconds spread_every = std::chrono::hours(1),
                const serve::ServiceOptions& of_service = TestApi::generous()) {
    serve::HubOptions options;
    options.database = location;
    options.in_database.connections = 3;
    options.cluster = {.lease = std::chrono::milliseconds(3000),
                       .renew = std::chrono::milliseconds(300),
                       .trust = std::chrono::milliseconds(2000),
                       .spread_every = spread_every};
    hub = serve::Hub::open(options).value();
    service = std::make_unique<serve::Service>(*hub, of_service);
    server = test::serve(*service);
    EXPECT_TRUE(service->join(address()));
  }
  ~Node() { stop(); }
  void stop() {
    server->stop();
    hub->stop();
  }
  std::string address() const { return server->addresses().front(); }
  serve::Cluster& cluster() { return *hub->cluster(); }

  Answer ask(const std::string& method, const std::string& path, const std::string& token,
             const std::string& body = "", const std::string& more = "") {
    Client client(*server);
    const std::string caller =
        token.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", token);
    client.send(fmt::format("{} {} HTTP/1.1\r\nHost: a\r\n{}{}Content-Length: {}\r\n\r\n{}", method,
                            path, caller, more, body.size(), body));
    return client.answer();
  }

  std::unique_ptr<serve::Hub> hub;
  std::unique_ptr<serve::Service> service;
  std::unique_ptr<http::Server> server;
};

class PostgresCluster : public testing::Test {
 protected:
  void SetUp() override {
    PostgresServer* const server = PostgresServer::get();
    if (!server) GTEST_SKIP() << "PostgreSQL is not installed (Debian package postgresql)";
    location_ = server->new_database();
    for (int n = 0; n < 2; ++n) nodes_.push_back(std::make_unique<Node>(location_));
    admin_ = (*nodes_[0]->hub->vault().first_admin(nodes_[0]->hub->now(), false))->text;
  }

  Node& node(std::size_t n) { return *nodes_[n]; }
  static std::string id_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

  /// A campaign that the first server owns.
  std::string campaign(int items = 200) {
    const Answer made = node(0).ask("POST", "/api/v1/campaigns", admin_,
                                    R"({"name": "x", "classes": ["no", "yes"], "budget": 100000})");
    EXPECT_EQ(made.status, 201) << made.body;
    const std::string path = made.field("Location");
    std::string list;
    for (int n = 0; n < items; ++n) list += fmt::format("{}{{\"id\": \"i{}\"}}", n ? "," : "", n);
    EXPECT_EQ(node(0).ask("POST", path + "/items", admin_, "{\"items\": [" + list + "]}").status,
              201);
    EXPECT_TRUE(node(0).cluster().owns(id_of(path)));
    return path;
  }

  /// Sends a request with its key, again if the batch lost too many races against another server:
  /// it then had no effect (docs/guide/cluster.md).
  Answer post(Node& node, const std::string& path, const std::string& body,
              const std::string& key) {
    Answer answer;
    for (int n = 0; n < 50; ++n) {
      answer = node.ask("POST", path, admin_, body, fmt::format("Idempotency-Key: {}\r\n", key));
      if (answer.status != 503) break;
    }
    return answer;
  }

  /// Labels items as a worker, through a server of its choice; the number of items labelled.
  int work(const std::string& path, const std::string& worker, int labels,
           const std::function<Node&(int)>& choose) {
    int done = 0;
    for (int n = 0; n < labels; ++n) {
      const Answer given =
          post(choose(2 * n), path + "/assignments", fmt::format("{{\"worker\": \"{}\"}}", worker),
               fmt::format("{}-a{}", worker, n));
      EXPECT_EQ(given.status, 200) << given.body;
      if (given.status != 200) break;
      const auto assignments = json::parse(given.body).at("assignments").as_array();
      if (assignments.empty()) break;
      const std::string item(assignments[0].at("item").as_string());
      const Answer labelled = post(
          choose(2 * n + 1), path + "/labels",
          fmt::format("{{\"worker\": \"{}\", \"item\": \"{}\", \"label\": \"yes\"}}", worker, item),
          fmt::format("{}-l{}", worker, n));
      EXPECT_EQ(labelled.status, 200) << labelled.body;
      ++done;
    }
    return done;
  }

  std::uint64_t labels_of(const std::string& path) {
    const auto store = store::open_postgres(location_).value();
    const auto open = campaign::Campaign::open(*store, id_of(path)).value();
    const auto verified = open->verify();
    EXPECT_TRUE(verified) << verified.error().message;
    return open->view().status()->labels;
  }

  std::string location_, admin_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(PostgresCluster, ACampaignIsDeletedOnceForAllServers) {
  const std::string path = campaign(20), other = campaign(20);
  work(path, "ann", 3, [&](int n) -> Node& { return node(n % 2); });
  ASSERT_EQ(node(1).ask("DELETE", path, admin_).status, 409);
  ASSERT_EQ(node(1).ask("POST", path + "/archive", admin_).status, 200);
  {
    const auto store = store::open_postgres(location_).value();
    const auto refused = store->remove(id_of(path));
    ASSERT_FALSE(refused) << "servers list it";
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  }
  ASSERT_EQ(node(1).ask("DELETE", path, admin_).status, 204) << "not the server that owns it";
  for (std::size_t n = 0; n < 2; ++n) {
    ASSERT_TRUE(node(n).hub->vault().refresh());
    EXPECT_EQ(node(n).ask("GET", path, admin_).status, 404) << n;
    EXPECT_EQ(node(n).ask("DELETE", path, admin_).status, 404) << n;
    EXPECT_EQ(node(n).ask("GET", other + "/status", admin_).status, 200) << n;
  }
  const auto store = store::open_postgres(location_).value();
  EXPECT_EQ(store->campaigns().value(), std::vector<std::string>{id_of(other)});
  EXPECT_EQ(node(0).cluster().figures().shortened, 0U) << "nothing was lost";
}

TEST_F(PostgresCluster, AnyServerTakesAnyRequest) {
  const std::string path = campaign();
  EXPECT_EQ(work(path, "ann", 10, [&](int n) -> Node& { return node(n % 2); }), 10);
  EXPECT_FALSE(node(1).cluster().owns(id_of(path)));
  EXPECT_GE(node(1).service->forwarder()->figures().forwarded, 10U);
  const Answer status = node(1).ask("GET", path + "/status", admin_);
  EXPECT_EQ(status.status, 200);
  EXPECT_FALSE(status.field("Allot-Owner").empty());
  EXPECT_EQ(json::parse(status.body).at("labels").as_int64(), 10);
  const Answer all = node(1).ask("GET", path + "/export/events?format=jsonl", admin_);
  EXPECT_TRUE(all.whole);
  EXPECT_EQ(all.body, node(0).ask("GET", path + "/export/events?format=jsonl", admin_).body);
  const Answer added = node(1).ask("POST", path + "/items/upload", admin_, "id,text\nn1,x\nn2,y\n",
                                   "Content-Type: text/csv\r\n");
  EXPECT_EQ(added.body, R"({"added": 2, "known": 0})");
  EXPECT_EQ(node(1).ask("GET", path + "/status", admin_, "", "Allot-Hop: 1\r\n").status, 421);
  EXPECT_EQ(labels_of(path), 10U);
}

TEST_F(PostgresCluster, LiveEventsComeThroughAnotherServerAndEndWhenTheCampaignMoves) {
  const std::string path = campaign(3);
  Client client(*node(1).server);
  client.send(
      fmt::format("GET {}/events/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n"
                  "Last-Event-ID: 2\r\n\r\n",
                  path, admin_));
  EXPECT_TRUE(client.read_past("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(client.chunk(), "retry: 2000\n\n");
  work(path, "ann", 1, [&](int) -> Node& { return node(0); });
  EXPECT_NE(client.read_past("event: answered\n").find("event: leased"), std::string::npos);
  const auto owner = node(1).cluster().figures().node;
  ASSERT_TRUE(node(0).cluster().give(id_of(path), owner));
  EXPECT_TRUE(client.read_past("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n")) << "its end";
  EXPECT_TRUE(eventually([&] { return node(1).cluster().owns(id_of(path)); }));
}

TEST_F(PostgresCluster, ACampaignMovesWithoutLosingARequest) {
  const std::string path = campaign(), id = id_of(path);
  std::vector<std::thread> workers;
  std::atomic<int> done = 0, left = 4;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&, w] {
      done += work(path, fmt::format("w{}", w), 25,
                   [&](int n) -> Node& { return node(static_cast<std::size_t>(n + w) % 2); });
      --left;
    });
  }
  const std::string names[] = {node(0).cluster().figures().node, node(1).cluster().figures().node};
  for (std::size_t from = 0; left > 0; from = 1 - from) {
    static_cast<void>(node(from).cluster().give(id, names[1 - from]));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(done, 100);
  EXPECT_EQ(labels_of(path), 100U);
}

TEST_F(PostgresCluster, AnotherServerTakesOverWhenTheOwnerStops) {
  const std::string path = campaign();
  EXPECT_EQ(work(path, "ann", 3, [&](int n) -> Node& { return node(n % 2); }), 3);
  const auto epoch = node(0).cluster().figures().epochs.at(id_of(path));
  node(0).stop();
  EXPECT_EQ(work(path, "bob", 3, [&](int) -> Node& { return node(1); }), 3);
  EXPECT_TRUE(node(1).cluster().owns(id_of(path)));
  EXPECT_GT(node(1).cluster().figures().epochs.at(id_of(path)), epoch);
  EXPECT_EQ(labels_of(path), 6U);
}

TEST_F(PostgresCluster, AServerThatStopsWithoutAWordIsReplacedAtOnce) {
  const std::string path = campaign();
  // Nobody listens at the owner's address any more, but its leases go on.
  node(0).server->stop();
  EXPECT_EQ(work(path, "bob", 3, [&](int) -> Node& { return node(1); }), 3);
  EXPECT_TRUE(node(1).cluster().owns(id_of(path)));
  EXPECT_TRUE(eventually([&] { return !node(0).cluster().owns(id_of(path)); }));
  EXPECT_EQ(labels_of(path), 3U);
}

TEST_F(PostgresCluster, TokensAndCampaignsAreKnownEverywhere) {
  const Answer made =
      node(0).ask("POST", "/api/v1/tokens", admin_, R"({"role": "requester", "label": "a"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string token(json::parse(made.body).at("secret").as_string());
  const std::string id(json::parse(made.body).at("token").at("id").as_string());
  EXPECT_EQ(node(1).ask("GET", "/api/v1/campaigns", token).status, 200) << "at once";
  const std::string path = campaign();
  EXPECT_EQ(node(1).ask("GET", path + "/status", admin_).status, 200) << "at once";
  EXPECT_EQ(node(1).ask("GET", path.substr(0, path.size() - 1) + "_/status", admin_).status, 404);
  ASSERT_EQ(node(0).ask("DELETE", "/api/v1/tokens/" + id, admin_).status, 204);
  EXPECT_EQ(node(0).ask("GET", "/api/v1/campaigns", token).status, 401);
  EXPECT_TRUE(
      eventually([&] { return node(1).ask("GET", "/api/v1/campaigns", token).status == 401; }));
}

TEST_F(PostgresCluster, PeopleWithAccountsWorkOnAnyServer) {
  serve::ServiceOptions options = TestApi::generous();
  options.sign_in.proxy_header = "X-Forwarded-Email";
  options.sign_in.proxies = {serve::Network::parse("127.0.0.1").value()};
  options.sign_in.roles.workers = {"@example.org"};
  nodes_.clear();
  for (int n = 0; n < 2; ++n) {
    nodes_.push_back(std::make_unique<Node>(location_, std::chrono::hours(1), options));
  }
  const std::string path = campaign(20), person = path + "/people/ann@example.org";
  const auto as_ann = [&](int n, const std::string& method, const std::string& where,
                          const std::string& text = "") {
    return node(n % 2).ask(method, where, "", text,
                           "X-Forwarded-Email: ann@example.org\r\nSec-Fetch-Site: same-origin\r\n");
  };
  EXPECT_EQ(as_ann(1, "POST", path + "/assignments", "{}").status, 404);
  EXPECT_EQ(node(1).ask("PUT", person, admin_, R"({"role": "worker"})").status, 200);
  for (int n = 0; n < 6; ++n) {
    const Answer asked = as_ann(n, "POST", path + "/assignments", "{}");
    ASSERT_EQ(asked.status, 200) << asked.body;
    const json::value found = json::parse(asked.body);
    const Answer given =
        as_ann(n + 1, "POST", path + "/labels",
               json::serialize(json::object{{"item", found.at("assignments").at(0).at("item")},
                                            {"label", "yes"}}));
    EXPECT_EQ(given.status, 200) << given.body;
  }
  const Answer me = as_ann(1, "GET", path + "/me");
  EXPECT_EQ(json::parse(me.body).at("campaign").at("labels").to_number<int>(), 6) << me.body;
  EXPECT_EQ(node(0).ask("DELETE", person, admin_).status, 204);
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(as_ann(n, "POST", path + "/assignments", "{}").status, 404) << n;
  }
  EXPECT_EQ(labels_of(path), 6U);
}

TEST_F(PostgresCluster, CampaignsSpreadOverServers) {
  Node busy(location_, std::chrono::milliseconds(0));
  std::vector<std::string> ids;
  for (int n = 0; n < 6; ++n) {
    ids.push_back(id_of(campaign(5)));
    ASSERT_TRUE(node(0).cluster().give(ids.back(), busy.cluster().figures().node));
  }
  const auto owned = [](Node& one) { return one.cluster().figures().epochs.size(); };
  EXPECT_TRUE(eventually([&] {
    return owned(busy) == 2 && owned(node(0)) == 2 && owned(node(1)) == 2;
  })) << owned(busy)
      << " " << owned(node(0)) << " " << owned(node(1));
}

TEST_F(PostgresCluster, MetricsAndReadinessTellAboutOwners) {
  const std::string path = campaign(5);
  const Answer ready = node(0).ask("GET", "/readyz", "");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(json::parse(ready.body).at("campaigns").as_int64(), 1);
  const std::string metrics = node(0).ask("GET", "/metrics", admin_).body;
  EXPECT_NE(metrics.find("allot_campaign_epoch{campaign=\"" + id_of(path) + "\"} "),
            std::string::npos);
  EXPECT_TRUE(eventually([&] {
    const std::string now = node(0).ask("GET", "/metrics", admin_).body;
    return now.find("allot_cluster_servers 2\n") != std::string::npos;
  }));
}

}  // namespace
}  // namespace allot::test::cluster_test
