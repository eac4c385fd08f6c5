// Pages for people: five HTML documents, which read from their address what to show, and their
// assets. The pages use the API like any other program.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "serve/call.hpp"
#include "serve/pages.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using http::Response;

/// Scripts and styles come from this server only, so that nothing in an item can become one; images
/// and audio of items may come from other servers.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' https: data:; media-src https: data:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/// The same for a page that MTurk shows in its frame, and that ends with a form for MTurk.
constexpr const char* kTurkPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' https: data:; media-src https: data:; font-src 'self'; base-uri 'none'; "
    "form-action https://www.mturk.com https://workersandbox.mturk.com; "
    "frame-ancestors https://worker.mturk.com https://www.mturk.com "
    "https://workersandbox.mturk.com";

constexpr std::string_view kAssets = "/assets/";

/// True if an Accept-Encoding accepts gzip. Weights other than 0 are ignored.
bool takes_gzip(std::string_view field) {
  for (const std::string_view coding : split(field, ',')) {
    const auto parts = split(coding, ';');
    if (trim(parts[0]) != "gzip") continue;
    const std::string_view weight = parts.size() > 1 ? trim(parts[1]) : std::string_view("q=1");
    return weight.find_first_not_of("q=0. ") != std::string_view::npos;
  }
  return false;
}

/// An answer with the file, or that it is known already; a page that says that there is none is
/// not kept.
Response with_file(const http::Request& request, const PageFile& file, bool is_zipped, int status,
                   const char* policy) {
  const bool there = status == 200;
  const std::string tag = fmt::format("\"{}{}\"", file.tag, is_zipped ? "z" : "");
  const bool known = there && is_known(request, tag);
  Response response{.status = known ? 304 : status};
  if (there) response.fields.add("ETag", tag);
  response.fields.add("Vary", there ? "Accept-Encoding" : "Accept, Accept-Encoding");
  // The name of an asset has its contents' hash in it; a document is asked for again each time.
  const char* const keep =
      file.path.starts_with(kAssets) ? "public, max-age=31536000, immutable" : "no-cache";
  response.fields.add("Cache-Control", there ? keep : "no-store");
  response.fields.add("Content-Security-Policy", policy);
  response.fields.add("Cross-Origin-Opener-Policy", "same-origin");
  if (known) return response;
  response.fields.add("Content-Type", std::string(file.type));
  if (is_zipped) response.fields.add("Content-Encoding", "gzip");
  response.body = is_zipped ? file.zipped : file.plain;
  return response;
}

std::string_view type_of(std::string_view path) {
  for (const auto& [ending, type] :
       {std::pair<std::string_view, std::string_view>{".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"}}) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

Result<void> send_file(const CallPtr& call, const std::string& path, int status = 200,
                       const char* policy = kPolicy) {
  const auto missing = [path] {
    return problem(404, "not_found",
                   page_files().empty() ? "this program was built without its pages"
                                        : fmt::format("there is no page file {}", in_quotes(path)));
  };
  if (const std::string& root = call->service.options().web_root; !root.empty()) {
    return call->work([call, root, path, status, policy, missing]() -> Result<Response> {
      const auto text = io::read_text_file(root + path);
      if (!text) return missing();
      const std::string tag = hex(digest_of(*text)).substr(0, 16);
      return with_file(call->request, {path, type_of(path), tag, *text, {}}, false, status, policy);
    });
  }
  const auto files = page_files();
  const auto found = std::ranges::find(files, path, &PageFile::path);
  if (found == files.end()) return call->send(missing());
  return call->send(with_file(call->request, *found,
                              takes_gzip(call->request.fields.find("Accept-Encoding").value_or("")),
                              status, policy));
}

Result<void> requesters(const CallPtr& call) { return send_file(call, "/index.html"); }
Result<void> workers(const CallPtr& call) { return send_file(call, "/label.html"); }
Result<void> reviewers(const CallPtr& call) { return send_file(call, "/review.html"); }
Result<void> people(const CallPtr& call) { return send_file(call, "/work.html"); }

/// Only a link of MTurk may be framed, so the terms of the link come first.
Result<void> participants(const CallPtr& call) {
  const auto send = [call](bool is_framed) {
    return send_file(call, "/join.html", 200, is_framed ? kTurkPolicy : kPolicy);
  };
  if (!call->hub().vault().campaign(call->campaign())) return send(false);
  call->hub().look(
      call->campaign(),
      [call](OpenCampaign& open) {
        const auto is_framed = open.read([&](const campaign::State& state) {
          const auto* const link = state.sessions().find_link(call->param("link"));
          return link != nullptr && link->terms.platform == campaign::Platform::mturk;
        });
        return Response{.status = is_framed.value_or(false) ? 200 : 404};
      },
      [send](const Response& found) { static_cast<void>(send(found.status == 200)); });
  return {};
}
Result<void> asset(const CallPtr& call) {
  return send_file(call, std::string(kAssets) + call->param("file"));
}

}  // namespace

bool wants_page(const Call& call) {
  const http::Request& request = call.request;
  const bool is_api = request.path == "/api" || request.path.starts_with("/api/");
  const bool has_pages = !page_files().empty() || !call.service.options().web_root.empty();
  return has_pages && !is_api && request.method == http::Method::get &&
         request.fields.find("Accept").value_or("").find("text/html") != std::string_view::npos;
}

Result<void> send_no_such_page(const CallPtr& call) { return send_file(call, "/index.html", 404); }

void add_page_routes(std::vector<Route>& routes) {
  using enum http::Method;
  RouteGroup anyone(routes, "", Access::anyone);
  const std::string text = schema::text();
  const RouteTraits html{.produces = "text/html; charset=utf-8", .page = true};
  anyone.add(get, "/", "page_campaigns", requesters, "Page: list of campaigns", text, html);
  anyone.add(get, "/archive", "page_archive", requesters, "Page: list of archived campaigns", text,
             html);
  anyone.add(get, "/new", "page_new", requesters, "Page: create a campaign", text, html);
  anyone.add(get, "/campaigns/{campaign}", "page_board", requesters, "Page: board of a campaign",
             text, html);
  anyone.add(get, "/campaigns/{campaign}/workers", "page_workers", requesters,
             "Page: workers and links of a campaign", text, html);
  anyone.add(get, "/campaigns/{campaign}/settings", "page_settings", requesters,
             "Page: settings of a campaign", text, html);
  anyone.add(get, "/campaigns/{campaign}/items/{item}", "page_item", requesters,
             "Page: history of an item", text, html);
  anyone.add(get, "/compare/{campaign}/{other}", "page_compare", requesters,
             "Page: compare two campaigns", text, html);
  anyone.add(get, "/label/{campaign}", "page_label", workers, "Page: a worker labels items", text,
             html);
  anyone.add(get, "/join/{campaign}/{link}", "page_join", participants,
             "Page: a participant joins through a recruiting link and labels items", text, html);
  anyone.add(get, "/campaigns/{campaign}/recruiting", "page_recruiting", requesters,
             "Page: recruiting links and sessions of a campaign", text, html);
  anyone.add(get, "/review/{campaign}", "page_review", reviewers, "Page: a reviewer decides items",
             text, html);
  anyone.add(get, "/work", "page_work", people,
             "Page: campaigns that a person with an account labels or reviews", text, html);
  anyone.add(get, "/assets/{file}", "page_file", asset, "Assets of the pages", text,
             {.produces = "*/*", .page = true});
}

}  // namespace allot::serve
