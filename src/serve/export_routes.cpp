// Exports: rows of a campaign as a file, streamed in pieces.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/campaign/export.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::ExportFormat;
using campaign::ExportKind;
using http::Method;
using http::Response;

/// Streams an export; each piece is one request to the campaign's mailbox.
class ExportStream final : public http::Stream {
 public:
  ExportStream(Hub& hub, std::string campaign, ExportKind what, ExportFormat format)
      : cursor_(std::make_shared<Cursor>(hub, std::move(campaign), what, format)) {}

  void pull(Ready ready) override { next(cursor_, std::move(ready)); }

 private:
  struct Cursor {
    Cursor(Hub& its_hub, std::string its_campaign, ExportKind what, ExportFormat format)
        : hub(its_hub), campaign(std::move(its_campaign)), rows(what, format) {}
    Hub& hub;
    const std::string campaign;
    campaign::Export rows;
    std::optional<std::string> piece;
  };

  static void next(const std::shared_ptr<Cursor>& cursor, Ready ready) {
    cursor->hub.look(
        cursor->campaign,
        [cursor](OpenCampaign& room) -> Response {
          auto piece = cursor->rows.next(room.view());
          if (!piece) return problem(piece.error());
          cursor->piece = *std::move(piece);
          return {};
        },
        [cursor, ready = std::move(ready)](const Response& response) {
          if (response.status != 200) return ready(tl::unexpected(logged_error(response)));
          if (!cursor->piece) return ready(std::nullopt);
          if (cursor->piece->empty()) return next(cursor, ready);
          ready(std::move(cursor->piece));
        });
  }

  std::shared_ptr<Cursor> cursor_;
};

void export_rows(const CallPtr& call) {
  const std::string what = call->params.find("what")->second;
  const auto exported = campaign::export_kind_named(what);
  if (!exported) {
    return call->refuse(
        {ErrorCode::not_found, fmt::format("unknown export {}; expected labels, answers, "
                                           "probabilities, workers or events",
                                           in_quotes(what))});
  }
  const std::string format = call->query("format").value_or("csv");
  const bool crowd_kit = format == "crowd-kit";
  if (format != "csv" && format != "jsonl" && (!crowd_kit || *exported == ExportKind::events)) {
    return call->refuse({ErrorCode::invalid_argument,
                         fmt::format("unknown format {}; expected csv, jsonl{}", in_quotes(format),
                                     *exported == ExportKind::events ? "" : " or crowd-kit")});
  }
  const bool lines = format == "jsonl";
  Response response;
  response.fields.add("Content-Type", lines ? "application/x-ndjson" : "text/csv; charset=utf-8");
  response.fields.add("Content-Disposition",
                      fmt::format("attachment; filename=\"{}.{}\"", what, lines ? "jsonl" : "csv"));
  response.stream = std::make_unique<ExportStream>(call->hub(), call->campaign(), *exported,
                                                   lines       ? ExportFormat::jsonl
                                                   : crowd_kit ? ExportFormat::crowd_kit
                                                               : ExportFormat::csv);
  call->reply(std::move(response));
}

}  // namespace

void add_export_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.push_back(
      {.method = Method::get,
       .pattern = "/api/v1/campaigns/{campaign}/export/{what}",
       .access = Access::owner,
       .name = "export",
       .summary = "Download labels, answers, probabilities, workers or events as a file",
       .handle = export_rows,
       .response = text(),
       .query = {{"format", text(), "csv, jsonl or crowd-kit; default: csv"}},
       .produces = "text/csv; charset=utf-8",
       .also_produces = {"application/x-ndjson"}});
}

}  // namespace allot::serve
