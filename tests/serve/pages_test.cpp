// The pages for people: what is served where, how strictly, and how it is kept.
#include "serve/pages.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "io/gzip.hpp"
#include "support/folder.hpp"
#include "support/test_api.hpp"

namespace allot::test::pages_test {
namespace {

const char* const kRequesters[] = {"/", "/archive", "/new", "/campaigns/abc", "/campaigns/abc/items/i 1",
                                   "/compare/abc/def"};

std::string page(const char* name) {
  for (const serve::PageFile& file : serve::page_files()) {
    if (file.path == name) return std::string(file.plain);
  }
  return "";
}

std::string gunzipped(std::string_view bytes) { return io::gunzip(bytes, 1 << 24).value_or(""); }

class PageFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (serve::page_files().empty()) GTEST_SKIP() << "built without pages";
  }
  TestApi api;
};

TEST_F(PageFiles, AreDocumentsForAnyone) {
  for (const char* path : kRequesters) {
    const ApiResponse answered = api.get(path, "");
    EXPECT_EQ(answered.status, 200) << path;
    EXPECT_EQ(answered.field("Content-Type"), "text/html; charset=utf-8") << path;
    EXPECT_EQ(answered.body, page("/index.html")) << path;
  }
  EXPECT_EQ(api.get("/label/abc", "").body, page("/label.html"));
  EXPECT_EQ(api.get("/review/abc", "").body, page("/review.html"));
  EXPECT_EQ(api.get("/work", "").body, page("/work.html"));
  EXPECT_NE(page("/label.html"), page("/index.html"));
  EXPECT_NE(page("/review.html"), page("/label.html"));
  EXPECT_EQ(api.get("/?from=a+letter", "").status, 200) << "a browser may be sent with any query";
  EXPECT_EQ(api.get("/label/abc/def", "").status, 404);
  EXPECT_EQ(api.ask({.method = http::Method::post, .path = "/new"}).status, 405);
}

TEST_F(PageFiles, TellAPersonWhoIsLost) {
  const char* const kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";
  const auto asked = [&](const char* path, const char* accept,
                         http::Method method = http::Method::get) {
    return api.ask({.method = method, .path = path, .fields = {{"Accept", accept}}});
  };
  for (const char* path : {"/nothing", "/campaigns", "/label/abc/def", "/nothing/api"}) {
    const ApiResponse answered = asked(path, kBrowser);
    EXPECT_EQ(answered.status, 404) << path;
    EXPECT_EQ(answered.body, page("/index.html")) << path;
    EXPECT_EQ(answered.field("Content-Security-Policy"),
              api.get("/", "").field("Content-Security-Policy"));
    EXPECT_EQ(answered.field("X-Frame-Options"), "DENY");
    EXPECT_EQ(answered.field("Cache-Control"), "no-store");
    EXPECT_EQ(answered.field("ETag"), "");
  }
  for (const auto& answered :
       {asked("/nothing", "*/*"), asked("/nothing", "application/json"), asked("/api", kBrowser),
        asked("/api/v1/nothing", kBrowser), asked("/nothing", kBrowser, http::Method::post)}) {
    EXPECT_EQ(answered.status, 404);
    EXPECT_EQ(answered.code(), "no_such_route");
  }
}

TEST_F(PageFiles, LetNothingFromElsewhereAct) {
  for (const char* path : {"/", "/label/abc", "/review/abc", "/work"}) {
    const ApiResponse answered = api.get(path, "");
    const std::string policy = answered.field("Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "))
        << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_NE(policy.find("base-uri 'none'"), std::string::npos);
    EXPECT_EQ(answered.field("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(answered.field("X-Frame-Options"), "DENY");
    // Nothing inline, nothing from another host.
    EXPECT_FALSE(std::regex_search(answered.body, std::regex("<script(?![^>]* src=)")));
    EXPECT_FALSE(std::regex_search(answered.body, std::regex("<style|style=|[ ]on[a-z]+=")));
    EXPECT_EQ(answered.body.find("//"), std::string::npos);
  }
}

TEST_F(PageFiles, NameOnlyFilesThatAreThere) {
  const std::regex name("(?:src|href)=\"([^\"]+)\"");
  int files = 0;
  for (const char* document : {"/index.html", "/label.html", "/review.html", "/work.html"}) {
    const std::string text = page(document);
    for (std::sregex_iterator one(text.begin(), text.end(), name), end; one != end; ++one) {
      const std::string path = (*one)[1];
      EXPECT_TRUE(path.starts_with("/assets/")) << path;
      EXPECT_EQ(api.get(path, "").status, 200) << path;
      ++files;
    }
  }
  EXPECT_GE(files, 4);
  EXPECT_EQ(api.get("/assets/none.js", "").code(), "not_found");
}

TEST_F(PageFiles, AreSentGzippedToClientsThatAcceptIt) {
  for (const serve::PageFile& file : serve::page_files()) {
    EXPECT_EQ(gunzipped(file.zipped), file.plain) << file.path;
    EXPECT_LT(file.zipped.size(), file.plain.size() + 64) << file.path;
  }
  const auto sent = [&](const char* accepted) {
    return api.ask({.path = "/", .fields = {{"Accept-Encoding", accepted}}});
  };
  for (const char* accepted : {"gzip", "br, gzip", "deflate;q=0.5, gzip;q=0.8"}) {
    const ApiResponse answered = sent(accepted);
    EXPECT_EQ(answered.field("Content-Encoding"), "gzip") << accepted;
    EXPECT_EQ(gunzipped(answered.body), page("/index.html"));
  }
  for (const char* refused : {"", "br", "gzip;q=0", "gzip;q=0.000", "x-gzip-not"}) {
    EXPECT_EQ(sent(refused).field("Content-Encoding"), "") << refused;
  }
}

TEST_F(PageFiles, AreKeptByTheirContents) {
  const ApiResponse document = api.get("/", "");
  EXPECT_EQ(document.field("Cache-Control"), "no-cache");
  EXPECT_EQ(document.field("Vary"), "Accept-Encoding");
  const auto again = [&](const std::string& tag, const char* accepted) {
    return api.ask({.path = "/", .fields = {{"If-None-Match", tag}, {"Accept-Encoding", accepted}}})
        .status;
  };
  EXPECT_EQ(again(document.field("ETag"), ""), 304);
  EXPECT_EQ(again(document.field("ETag"), "gzip"), 200) << "other bytes, another tag";
  for (const serve::PageFile& file : serve::page_files()) {
    if (!file.path.starts_with("/assets/")) continue;
    EXPECT_EQ(api.get(std::string(file.path), "").field("Cache-Control"),
              "public, max-age=31536000, immutable");
  }
}

TEST(PageFilesOnDisk, AreReadEachTime) {
  const Folder folder;
  serve::ServiceOptions options = TestApi::generous();
  options.web_root = folder.path();
  TestApi api(options);
  EXPECT_EQ(api.get("/", "").status, 404);
  folder.file("index.html", "<p>one</p>");
  const ApiResponse one = api.get("/new", "");
  EXPECT_EQ(one.body, "<p>one</p>");
  EXPECT_EQ(one.field("Content-Type"), "text/html; charset=utf-8");
  folder.file("index.html", "<p>two</p>");
  EXPECT_EQ(api.get("/", "").body, "<p>two</p>");
  EXPECT_NE(api.get("/", "").field("ETag"), one.field("ETag"));
}

}  // namespace
}  // namespace allot::test::pages_test
