#include "cli/serve_settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"
#include "cli/serve_options.hpp"

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
    for (const toml::node& member : *array) {
      const auto text = TRY(value_text(path, name, member));
      joined += (joined.empty() ? "" : ",") + text;
    }
    return joined;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}: setting {} has another type; expected a text or a whole number",
                          path, name));
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
            for (const Setting& setting : kServeSettings) known.emplace_back(setting.name);
            if (std::ranges::find(known, name) == known.end()) {
              return fail(ErrorCode::invalid_argument,
                          fmt::format("{}: unknown setting {}{} ('allot serve --help' lists all)",
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
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} {} is not a size; expected a number of bytes such as 65536, 64k, 1M "
                    "or 2G, at most 1024G",
                    option, in_quotes(text)));
  }
  return number << shift;
}

std::vector<std::string> read_addresses(const std::string& text) {
  std::vector<std::string> addresses = read_names({text});
  for (std::string& address : addresses) {
    if (address.starts_with("localhost:")) address.replace(0, 9, "127.0.0.1");
  }
  return addresses;
}

/// Every setting by name: from its flag, the environment, the file, or the default.
Result<Texts> gather(const Flags& flags, const std::optional<std::string>& config,
                     Variable variable) {
  const auto path = config ? config : variable("ALLOT_CONFIG");
  auto filed = TRY(path ? read_config(*path) : Result<Texts>());
  Texts texts;
  for (const Setting& setting : kServeSettings) {
    const std::string name = setting.name;
    const auto given = flags.find(name);
    const auto set = variable(variable_of(name));
    const auto kept = filed.find(name);
    if (given != flags.end() && given->second) {
      texts[name] = *given->second;
    } else if (set) {
      texts[name] = *set;
    } else {
      texts[name] = kept != filed.end() ? kept->second : setting.default_value;
    }
  }
  return texts;
}

/// Reads values of settings; keeps the first error.
class SettingReader {
 public:
  explicit SettingReader(const Texts& texts) : texts_(texts) {}

  const std::string& text(const char* name) const { return texts_.at(name); }
  std::uint64_t whole(const char* name, std::uint64_t least, std::uint64_t most) {
    return value_or(read_whole(flag(name), text(name), least, most), least);
  }
  std::uint64_t size(const char* name) {
    return value_or(read_size(flag(name), text(name)), std::uint64_t{1});
  }
  std::chrono::seconds seconds(const char* name, std::uint64_t least) {
    return std::chrono::seconds(whole(name, least, 3600));
  }
  template <typename T, std::size_t N>
  T choice(const char* name, const std::array<std::pair<std::string_view, T>, N>& choices) {
    return value_or(read_choice<T, N>(flag(name), text(name), choices), choices.front().second);
  }

  void refuse(const std::string& message) {
    if (!error_) error_ = Error{ErrorCode::invalid_argument, message};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static std::string flag(const char* name) { return fmt::format("--{}", name); }

  template <typename T>
  T value_or(const Result<T>& value, T other) {
    if (!value && !error_) error_ = value.error();
    return value.value_or(other);
  }

  const Texts& texts_;
  std::optional<Error> error_;
};

http::ServerOptions server_options(SettingReader& read) {
  http::ServerOptions options;
  options.listen = read_addresses(read.text("listen"));
  options.certificate = read.text("tls-cert");
  options.key = read.text("tls-key");
  options.threads = static_cast<int>(read.whole("io-threads", 1, 256));
  options.most_connections = read.whole("max-connections", 1, 1'000'000);
  options.head_time = read.seconds("head-timeout", 1);
  options.stop_time = read.seconds("stop-timeout", 0);
  if (options.certificate.empty() != options.key.empty()) {
    read.refuse("--tls-cert and --tls-key need each other; expected both or neither");
  }
  return options;
}

serve::ServiceOptions service_options(SettingReader& read) {
  serve::ServiceOptions options;
  options.rate = static_cast<double>(read.whole("rate", 1, 1'000'000'000));
  options.burst = static_cast<double>(read.whole("burst", 1, 1'000'000'000));
  options.largest_batch = read.whole("max-batch", 1, 1'000'000);
  options.largest_body = read.size("max-body");
  options.largest_upload = read.size("max-upload");
  options.private_webhooks =
      read.choice<bool, 2>("private-webhooks", {{{"yes", true}, {"no", false}}});
  options.web_root = read.text("web-root");
  options.version = ALLOT_VERSION;
  return options;
}

/// Least level to log; none if nothing is logged.
std::optional<serve::Level> log_level(SettingReader& read) {
  return read.choice<std::optional<serve::Level>, 5>("log-level",
                                                     {{{"debug", serve::Level::debug},
                                                       {"info", serve::Level::info},
                                                       {"warning", serve::Level::warning},
                                                       {"error", serve::Level::error},
                                                       {"off", std::nullopt}}});
}

}  // namespace

Result<ServeSettings> read_serve_settings(const Flags& flags,
                                          const std::optional<std::string>& config,
                                          Variable variable) {
  const auto texts = TRY(gather(flags, config, variable));
  SettingReader read(texts);
  ServeSettings settings;
  settings.hub.folder = read.text("data");
  settings.hub.threads = static_cast<unsigned>(read.whole("threads", 0, 1024));
  settings.server = server_options(read);
  settings.service = service_options(read);
  if (const auto level = log_level(read)) {
    settings.service.log_level = *level;
    settings.log = read.text("log");
  }
  if (settings.hub.folder.empty()) read.refuse("--data '' is not a folder; expected its name");
  if (read.error()) return tl::unexpected(*read.error());
  return settings;
}

}  // namespace allot::cli
