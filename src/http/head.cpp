#include "http/head.hpp"

#include <algorithm>
#include <optional>

#include "http/ascii.hpp"

namespace allot::http {
namespace {

constexpr std::string_view kAllowed = "GET, HEAD, POST, PUT, PATCH, DELETE";

std::optional<Method> known(std::string_view method) {
  const auto found = std::ranges::find(kMethodNames, method);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<Method>(found - kMethodNames.begin());
}

/// Registered methods that no route here has.
bool is_other_method(std::string_view method) {
  return method == "OPTIONS" || method == "TRACE" || method == "CONNECT";
}

Refusal bad(std::string code, std::string detail) {
  return {400, std::move(code), std::move(detail)};
}

struct FieldSummary {
  std::size_t hosts = 0, codings = 0, lengths = 0;
  std::string_view coding;
  std::optional<std::string_view> expectation;
};

FieldSummary look(const Fields& fields) {
  FieldSummary seen;
  for (const auto& [name, value] : fields.list()) {
    if (same_word(name, "host")) ++seen.hosts;
    if (same_word(name, "content-length")) ++seen.lengths;
    if (same_word(name, "expect")) seen.expectation = value;
    if (same_word(name, "transfer-encoding")) {
      ++seen.codings;
      seen.coding = value;
    }
  }
  return seen;
}

std::optional<Refusal> framing(const FieldSummary& seen, int version) {
  if (seen.codings == 0) return std::nullopt;
  if (seen.lengths > 0)
    return bad("bad_framing",
               "the request has both Content-Length and Transfer-Encoding; expected one");
  if (version < 11)
    return bad("bad_framing", "the request has Transfer-Encoding, which HTTP/1.0 does not know");
  if (seen.codings > 1)
    return bad("bad_framing", "the request has two Transfer-Encoding fields; expected one");
  if (!same_word(seen.coding, "chunked"))
    return Refusal{501, "unknown_transfer_coding",
                   "the Transfer-Encoding is not supported; expected 'chunked'"};
  return std::nullopt;
}

}  // namespace

tl::expected<ValidHead, Refusal> validate(const Head& head) {
  const FieldSummary seen = look(head.fields);
  if (auto refusal = framing(seen, head.version)) return tl::unexpected(std::move(*refusal));
  if (seen.hosts > 1 || (seen.hosts == 0 && head.version >= 11))
    return tl::unexpected(
        bad("bad_host", "the field Host is missing or repeated; expected one in HTTP/1.1"));
  const auto method = known(head.method);
  if (!method && is_other_method(head.method)) {
    Refusal refusal{405,
                    "method_not_allowed",
                    "method " + head.method + " is not allowed; expected " + std::string(kAllowed),
                    {}};
    refusal.fields.add("Allow", std::string(kAllowed));
    return tl::unexpected(std::move(refusal));
  }
  if (!method)
    return tl::unexpected(
        Refusal{501, "unknown_method", "unknown method; expected " + std::string(kAllowed)});
  if (seen.expectation && !same_word(*seen.expectation, "100-continue"))
    return tl::unexpected(Refusal{417, "expectation_failed",
                                  "the Expect field is not supported; expected '100-continue'"});
  auto target = decode_target(head.target);
  if (!target) return tl::unexpected(bad("bad_target", target.error().message));
  return ValidHead{*method, std::move(*target), seen.expectation && head.version >= 11};
}

bool is_sane_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char letter) {
    return is_letter_or_digit(letter) || letter == '.' || letter == '_' || letter == '-';
  });
}

}  // namespace allot::http
