#include "cli/serve_settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"
#include "cli/serve.hpp"

namespace allot::cli {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

/// "max-body" is ALLOT_MAX_BODY.
std::string variable_of(std::string_view name) {
  std::string result = "ALLOT_";
  for (const char c : name) result += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return result;
}

Result<std::string> value_text(std::string_view path, std::string_view name,
                               const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* array = node.as_array()) {
    std::string joined;
    for (const toml::node& one : *array) {
      const auto text = TRY(value_text(path, name, one));
      joined += (joined.empty() ? "" : ",") + text;
    }
    return joined;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: {} is neither a text nor a whole number", path, name));
}

Result<Texts> read_config(const std::string& path) {
  return in_option("--config", io::read_text_file(path))
      .and_then([&](const std::string& text) -> Result<Texts> {
        Texts texts;
        try {
          const toml::table table = toml::parse(text, path);
          for (const auto& [key, node] : table) {
            const std::string name(key.str());
            std::vector<std::string_view> known;
            for (const Setting& one : kServeSettings) known.emplace_back(one.name);
            if (std::ranges::find(known, name) == known.end()) {
              return fail(ErrorCode::invalid_argument,
                          fmt::format("{}: {} is no setting{} ('allot serve --help' lists all)",
                                      path, in_quotes(name), suggestion(name, known)));
            }
            const auto value = TRY(value_text(path, name, node));
            texts[name] = value;
          }
        } catch (const toml::parse_error& error) {
          return fail(
              ErrorCode::invalid_argument,
              fmt::format("{}: line {}: {}", path, error.source().begin.line, error.description()));
        }
        return texts;
      });
}

Result<std::uint64_t> read_size(const std::string& option, const std::string& text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size());
  const std::string_view units = "kMG";
  const std::size_t place = unit.size() == 1 ? units.find(unit[0]) : std::string_view::npos;
  const unsigned shift = unit.empty() ? 0 : 10 * (static_cast<unsigned>(place) + 1);
  const bool known = unit.empty() || place != std::string_view::npos;
  if (trouble != std::errc() || !known || number == 0 || number > kMost >> shift) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} {}; expected a number of bytes such as 65536, 64k, 1M or 2G, at "
                            "most 1024G",
                            option, in_quotes(text)));
  }
  return number << shift;
}

std::vector<std::string> read_addresses(const std::string& text) {
  std::vector<std::string> addresses = read_names({text});
  for (std::string& one : addresses) {
    if (one.starts_with("localhost:")) one.replace(0, 9, "127.0.0.1");
  }
  return addresses;
}

/// Every setting by name, as the one who knows best has it.
Result<Texts> gather(const Flags& flags, const std::optional<std::string>& config,
                     Variable variable) {
  const auto path = config ? config : variable("ALLOT_CONFIG");
  auto filed = TRY(path ? read_config(*path) : Result<Texts>());
  Texts texts;
  for (const Setting& one : kServeSettings) {
    const std::string name = one.name;
    const auto given = flags.find(name);
    const auto set = variable(variable_of(name));
    const auto kept = filed.find(name);
    if (given != flags.end() && given->second) {
      texts[name] = *given->second;
    } else if (set) {
      texts[name] = *set;
    } else {
      texts[name] = kept != filed.end() ? kept->second : one.usual;
    }
  }
  return texts;
}

}  // namespace

Result<ServeSettings> read_serve_settings(const Flags& flags,
                                          const std::optional<std::string>& config,
                                          Variable variable) {
  auto gathered = TRY(gather(flags, config, variable));
  const Texts& texts = gathered;
  ServeSettings settings;
  std::optional<Error> refusal;
  const auto whole = [&](const char* name, std::uint64_t least, std::uint64_t most) {
    const auto value = read_whole(fmt::format("--{}", name), texts.at(name), least, most);
    if (!value && !refusal) refusal = value.error();
    return value.value_or(least);
  };
  const auto size = [&](const char* name) {
    const auto value = read_size(fmt::format("--{}", name), texts.at(name));
    if (!value && !refusal) refusal = value.error();
    return value.value_or(1);
  };
  settings.hub.folder = texts.at("data");
  settings.hub.threads = static_cast<unsigned>(whole("threads", 0, 1024));
  settings.server.listen = read_addresses(texts.at("listen"));
  settings.server.certificate = texts.at("tls-cert");
  settings.server.key = texts.at("tls-key");
  settings.server.threads = static_cast<int>(whole("io-threads", 1, 256));
  settings.server.most_connections = whole("max-connections", 1, 1'000'000);
  settings.server.head_time = std::chrono::seconds(whole("head-timeout", 1, 3600));
  settings.server.stop_time = std::chrono::seconds(whole("stop-timeout", 0, 3600));
  settings.service.rate = static_cast<double>(whole("rate", 1, 1'000'000'000));
  settings.service.burst = static_cast<double>(whole("burst", 1, 1'000'000'000));
  settings.service.largest_batch = whole("max-batch", 1, 1'000'000);
  settings.service.largest_body = size("max-body");
  settings.service.largest_upload = size("max-upload");
  const auto to_private = read_choice<bool, 2>("--private-webhooks", texts.at("private-webhooks"),
                                               {{{"yes", true}, {"no", false}}});
  if (!to_private && !refusal) refusal = to_private.error();
  settings.service.private_webhooks = to_private.value_or(false);
  settings.service.web_root = texts.at("web-root");
  settings.service.version = ALLOT_VERSION;
  const auto level =
      read_choice<std::optional<serve::Level>, 5>("--log-level", texts.at("log-level"),
                                                  {{{"debug", serve::Level::debug},
                                                    {"info", serve::Level::info},
                                                    {"warning", serve::Level::warning},
                                                    {"error", serve::Level::error},
                                                    {"off", std::nullopt}}});
  if (!level && !refusal) refusal = level.error();
  if (level && *level) {
    settings.service.log_level = **level;
    settings.log = texts.at("log");
  }
  if (!refusal && settings.hub.folder.empty()) {
    refusal = Error{ErrorCode::invalid_argument, "--data '' is no folder; expected its name"};
  }
  if (!refusal && settings.server.certificate.empty() != settings.server.key.empty()) {
    refusal = Error{ErrorCode::invalid_argument,
                    "--tls-cert and --tls-key go together; expected both or neither"};
  }
  if (refusal) return tl::unexpected(*refusal);
  return settings;
}

}  // namespace allot::cli
