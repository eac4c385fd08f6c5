#include "cli/serve_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "allot/store/location.hpp"
#include "base/errors.hpp"
#include "cli/model_settings.hpp"
#include "cli/options.hpp"
#include "cli/toml_text.hpp"
#include "http/ascii.hpp"
#include "http/client.hpp"
#include "http/url.hpp"

namespace allot::cli {
namespace {

/// A value, and the setting as the operator wrote it: "--rate", "ALLOT_RATE" or "rate".
struct SettingText {
  std::string value, name;
  /// "serve.toml: " for a setting of that file.
  std::string place = {};
};
using Texts = std::map<std::string, SettingText, std::less<>>;

constexpr std::string_view kYesOrNo = "yes|no";

constexpr std::string_view kVariablePrefix = "ALLOT_";
/// Variables of clients, scripts and tests, which may start a server.
constexpr std::string_view kOtherVariables[] = {"ALLOT_TOKEN",   "ALLOT_SERVER",   "ALLOT_SERVERS",
                                                "ALLOT_PROGRAM", "ALLOT_CHROMIUM", "ALLOT_FIREFOX",
                                                "ALLOT_STRESS"};

/// "max-body" is ALLOT_MAX_BODY.
std::string variable_of(std::string_view name) {
  std::string result(kVariablePrefix);
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
  return invalid("{}: setting {} has another type; expected a text or a whole number", path, name);
}

Result<std::map<std::string, std::string>> read_config(const std::string& path) {
  const auto text = TRY(in_option("--config", io::read_text_file(path)));
  std::vector<std::string_view> known;
  for (const Setting& setting : kServeSettings) known.emplace_back(setting.name);
  std::map<std::string, std::string> texts;
  const toml::table table = TRY(parse_toml(path, text, "listen = \"127.0.0.1:8080\""));
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto setting = std::ranges::find(kServeSettings, name, &Setting::name);
    if (setting == kServeSettings.end()) {
      return invalid("{}: unknown setting {}{} ('allot serve --help' lists all)", path,
                     in_quotes(name), suggestion(name, known));
    }
    const auto* const flag = setting->type == kYesOrNo ? node.as_boolean() : nullptr;
    texts[name] =
        flag != nullptr ? (flag->get() ? "yes" : "no") : TRY(value_text(path, name, node));
  }
  return texts;
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
    return invalid(
        "{} {} is not a size; expected a number of bytes such as 65536, 64k, 1M or 2G, at most "
        "1024G",
        option, in_quotes(text));
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
  std::map<std::string, std::string> filed;
  if (path) filed = TRY(read_config(*path));
  Texts texts;
  for (const Setting& setting : kServeSettings) {
    const std::string name = setting.name;
    const auto flag = flags.find(name);
    const auto in_file = filed.find(name);
    if (flag != flags.end() && flag->second) {
      texts[name] = {*flag->second, "--" + name};
    } else if (const auto set = variable(variable_of(name))) {
      texts[name] = {*set, variable_of(name)};
    } else if (in_file != filed.end()) {
      texts[name] = {in_file->second, name, *path + ": "};
    } else {
      texts[name] = {setting.default_value, (path ? "" : "--") + name};
    }
  }
  return texts;
}

/// Reads values of settings.
class SettingReader {
 public:
  explicit SettingReader(const Texts& texts) : texts_(texts) {}

  const std::string& text(const char* name) const { return texts_.at(name).value; }
  /// The setting within an error, and at its begin, where it has the file.
  const std::string& name(const char* name) const { return texts_.at(name).name; }
  std::string at(const char* name) const { return texts_.at(name).place + this->name(name); }
  template <typename Whole = std::uint64_t>
  Result<Whole> whole(const char* name, std::uint64_t least, std::uint64_t most) const {
    return read_whole<Whole>(at(name), text(name), least, most);
  }
  Result<std::uint64_t> size(const char* name) const { return read_size(at(name), text(name)); }
  Result<std::chrono::seconds> seconds(const char* name, std::uint64_t least) const {
    return whole<std::chrono::seconds>(name, least, 3600);
  }
  /// Names separated by commas; none for an empty text.
  std::vector<std::string> list(const char* name) const {
    return text(name).empty() ? std::vector<std::string>() : read_names({text(name)});
  }
  template <typename T>
  Result<T> choice(const char* name,
                   std::initializer_list<std::pair<std::string_view, T>> choices) const {
    return read_choice<T>(at(name), text(name), choices);
  }

 private:
  const Texts& texts_;
};

Result<http::ServerOptions> server_options(const SettingReader& read) {
  http::ServerOptions options;
  options.listen = read_addresses(read.text("listen"));
  options.certificate = read.text("tls-cert");
  options.key = read.text("tls-key");
  options.threads = TRY(read.whole<int>("io-threads", 1, 256));
  options.most_connections = TRY(read.whole("max-connections", 1, 1'000'000));
  options.head_time = TRY(read.seconds("head-timeout", 1));
  options.stop_time = TRY(read.seconds("stop-timeout", 0));
  if (options.certificate.empty() != options.key.empty()) {
    return invalid("{} and {} need each other; expected both or neither", read.at("tls-cert"),
                   read.name("tls-key"));
  }
  return options;
}

Result<serve::HubOptions> hub_options(const SettingReader& read) {
  serve::HubOptions options;
  options.folder = read.text("data");
  options.visit_all = true;
  options.database = read.text("store");
  options.threads = TRY(read.whole<unsigned>("threads", 0, 1024));
  options.in_database.require_sync =
      TRY(read.choice<bool>("require-sync", {{"yes", true}, {"no", false}}));
  if (!options.database.empty() && !store::is_database(options.database)) {
    return invalid("{} {} is not a database; expected postgresql://..., or {} for a folder",
                   read.at("store"), in_quotes(options.database), read.name("data"));
  }
  if (options.database.empty() && options.in_database.require_sync) {
    return invalid("{} 'yes' needs a database; expected {} postgresql://...",
                   read.at("require-sync"), read.name("store"));
  }
  if (options.folder.empty()) {
    return invalid("{} '' is not a folder; expected its name", read.at("data"));
  }
  return options;
}

/// The address for other servers, which speak plain HTTP to each other.
Result<std::string> node_address(const SettingReader& read, const ServeSettings& settings) {
  const std::string& node = read.text("node");
  if (settings.hub.database.empty()) {
    if (node.empty()) return node;
    return invalid("{} {} needs a database; expected {} postgresql://...", read.at("node"),
                   in_quotes(node), read.name("store"));
  }
  if (!settings.server.certificate.empty()) {
    return invalid(
        "{} does not work with {}, since servers speak plain HTTP to each other; expected a proxy "
        "in front that speaks TLS",
        read.at("tls-cert"), read.name("store"));
  }
  if (settings.server.listen.empty()) return node;
  const std::string& first = settings.server.listen.front();
  if (node.empty() && (first.starts_with("0.0.0.0:") || first.starts_with("[::]:"))) {
    return invalid("{} {} is no address for other servers; expected one in {}", read.at("listen"),
                   in_quotes(first), read.name("node"));
  }
  return node;
}

Result<serve::ServiceOptions> service_options(const SettingReader& read) {
  serve::ServiceOptions options;
  options.rate = TRY(read.whole<double>("rate", 1, 1'000'000'000));
  options.burst = TRY(read.whole<double>("burst", 1, 1'000'000'000));
  options.largest_batch = TRY(read.whole("max-batch", 1, 1'000'000));
  options.largest_body = TRY(read.size("max-body"));
  options.largest_upload = TRY(read.size("max-upload"));
  options.private_webhooks =
      TRY(read.choice<bool>("private-webhooks", {{"yes", true}, {"no", false}}));
  options.web_root = read.text("web-root");
  return options;
}

/// Refuses plain HTTP beyond this machine, for an address that a browser or the server goes to.
Result<void> check_origin(const SettingReader& read, const char* name) {
  const std::string& url = read.text(name);
  const bool is_local = std::ranges::any_of(
      std::array<std::string_view, 2>{"http://127.0.0.1", "http://localhost"},
      [&](std::string_view local) {
        return url.starts_with(local) &&
               (url.size() == local.size() || url[local.size()] == ':' || url[local.size()] == '/');
      });
  if (url.starts_with("https://") || is_local) return {};
  return invalid("{} {} is not valid; expected https://..., or http://localhost for a trial",
                 read.at(name), in_quotes(url));
}

/// The address of the pages, without a slash at its end; empty for none.
Result<std::string> read_public_url(const SettingReader& read) {
  std::string url = read.text("public-url");
  if (url.empty()) return url;
  TRY(check_origin(read, "public-url"));
  while (url.ends_with('/')) url.pop_back();
  const auto parsed = http::parse_web_url(url);
  if (parsed && url.find_first_of("/?", url.find("://") + 3) == std::string::npos) return url;
  return invalid(
      "{} {} is not the root of a host; expected an address such as https://labels.example.org, "
      "since the pages load /assets and /api from there",
      read.at("public-url"), in_quotes(read.text("public-url")));
}

Result<void> read_provider(const SettingReader& read, serve::SignInOptions& options) {
  if (read.text("oidc-issuer").empty()) return {};
  for (const char* name : {"oidc-client-id", "oidc-client-secret-file", "public-url"}) {
    if (!read.text(name).empty()) continue;
    return invalid("{} needs {}; expected both", read.at("oidc-issuer"), read.name(name));
  }
  TRY(check_origin(read, "oidc-issuer"));
  options.issuer = read.text("oidc-issuer");
  options.client = read.text("oidc-client-id");
  const std::string& file = read.text("oidc-client-secret-file");
  const auto secret =
      TRY(in_option(read.at("oidc-client-secret-file"), io::read_text_file(file, 4096)));
  options.client_secret = trim(secret);
  if (options.client_secret.empty()) {
    return invalid("{} {} is empty; expected a file with the secret of this server at the provider",
                   read.at("oidc-client-secret-file"), in_quotes(file));
  }
  options.provider = read.text("oidc-name");
  options.group_claim = read.text("oidc-group-claim");
  options.roots = read.text("oidc-roots");
  if (!options.roots.empty())
    TRY(in_option(read.at("oidc-roots"), http::Client::check({.roots = options.roots})));
  options.session_time = TRY(read.whole<std::chrono::hours>("session-hours", 1, 720));
  return {};
}

/// The entries of a list of people (serve::RoleRules). Refuses those that can never match.
Result<std::vector<std::string>> read_people(const SettingReader& read, const char* name) {
  constexpr std::string_view kGroup = "group:";
  auto entries = read.list(name);
  for (const std::string& entry : entries) {
    const std::size_t at = entry.rfind('@');
    const bool is_address = at != std::string::npos && at + 1 < entry.size();
    const bool is_group = entry.starts_with(kGroup) && entry.size() > kGroup.size();
    if (is_group && read.text("oidc-issuer").empty()) {
      return invalid(
          "{} {} needs {}, since a proxy tells no groups; expected an address or a domain",
          read.at(name), in_quotes(entry), read.name("oidc-issuer"));
    }
    if (entry == "*" || is_group || is_address) continue;
    return invalid("{} {} names nobody; expected ann@example.org, @example.org, group:NAME or *",
                   read.at(name), in_quotes(entry));
  }
  return entries;
}

struct PeopleList {
  const char* option;
  std::vector<std::string> serve::RoleRules::*entries;
};
/// In the order in which they apply.
constexpr std::array<PeopleList, 5> kPeopleLists{
    {{"sign-in-admins", &serve::RoleRules::admins},
     {"sign-in-requesters", &serve::RoleRules::requesters},
     {"sign-in-monitors", &serve::RoleRules::monitors},
     {"sign-in-reviewers", &serve::RoleRules::reviewers},
     {"sign-in-workers", &serve::RoleRules::workers}}};

/// Whether everybody whom the entry names is named by the wide one.
bool covers(std::string_view wide, std::string_view entry) {
  if (wide == "*" || http::same_word(wide, entry)) return true;
  const std::size_t at = entry.rfind('@');
  return wide.starts_with('@') && at != std::string_view::npos &&
         http::same_word(entry.substr(at), wide);
}

/// Refuses an entry that an earlier list leaves nobody for.
Result<void> check_order(const SettingReader& read, const serve::RoleRules& roles) {
  for (auto later = kPeopleLists.begin(); later != kPeopleLists.end(); ++later) {
    for (const std::string& entry : roles.*(later->entries)) {
      for (auto earlier = kPeopleLists.begin(); earlier != later; ++earlier) {
        const auto& wide = roles.*(earlier->entries);
        const auto found =
            std::ranges::find_if(wide, [&](const std::string& one) { return covers(one, entry); });
        if (found == wide.end()) continue;
        return invalid("{} {} never applies, since {} comes first and has {}; expected others",
                       read.at(later->option), in_quotes(entry), read.name(earlier->option),
                       in_quotes(*found));
      }
    }
  }
  return {};
}

/// Refuses a text that is no name of a field, and fields that say something other than who the
/// person is.
Result<std::string> read_proxy_header(const SettingReader& read) {
  std::string header = read.text("proxy-header");
  constexpr std::array<std::string_view, 8> kOthers{
      "Authorization",     "Cookie",   "Host", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host",
      "X-Forwarded-Proto", "X-Real-IP"};
  const auto is_header = [&](std::string_view other) { return http::same_word(other, header); };
  if (!header.empty() && !http::is_token(header)) {
    return invalid(
        "{} {} is not the name of a header field; expected one such as X-Forwarded-Email",
        read.at("proxy-header"), in_quotes(header));
  }
  if (std::ranges::none_of(kOthers, is_header)) return header;
  return invalid("{} {} does not name a person; expected a field such as X-Forwarded-Email",
                 read.at("proxy-header"), in_quotes(header));
}

Result<serve::SignInOptions> sign_in_options(const SettingReader& read) {
  serve::SignInOptions options;
  options.public_url = TRY(read_public_url(read));
  TRY(read_provider(read, options));
  options.proxy_header = TRY(read_proxy_header(read));
  for (const std::string& proxy : read.list("trusted-proxies")) {
    auto network = serve::Network::parse(proxy);
    if (!network) return invalid("{}: {}", read.at("trusted-proxies"), network.error().message);
    options.proxies.push_back(*std::move(network));
  }
  if (!options.proxy_header.empty() && options.proxies.empty()) {
    return invalid("{} needs {}; expected both", read.at("proxy-header"),
                   read.name("trusted-proxies"));
  }
  for (const PeopleList& list : kPeopleLists) {
    options.roles.*(list.entries) = TRY(read_people(read, list.option));
  }
  TRY(check_order(read, options.roles));
  if (options.roles.empty() == options.has_accounts()) {
    std::string lists;
    for (const PeopleList& list : kPeopleLists)
      lists += (lists.empty() ? "" : ", ") + read.name(list.option);
    return invalid(
        "lists of people and a way to sign in need each other; expected {} or {}, and at least one "
        "of {}",
        read.name("oidc-issuer"), read.name("proxy-header"), lists);
  }
  return options;
}

/// Least level to log; none if nothing is logged.
Result<std::optional<serve::Level>> log_level(const SettingReader& read) {
  using serve::Level;
  return read.choice<std::optional<Level>>("log-level", {{"debug", Level::debug},
                                                         {"info", Level::info},
                                                         {"warning", Level::warning},
                                                         {"error", Level::error},
                                                         {"off", std::nullopt}});
}

}  // namespace

Result<ServeSettings> read_serve_settings(const Flags& flags,
                                          const std::optional<std::string>& config,
                                          Variable variable) {
  const auto texts = TRY(gather(flags, config, variable));
  const SettingReader read(texts);
  ServeSettings settings;
  settings.hub = TRY(hub_options(read));
  settings.server = TRY(server_options(read));
  settings.node = TRY(node_address(read, settings));
  settings.service = TRY(service_options(read));
  settings.service.sign_in = TRY(sign_in_options(read));
  if (!settings.hub.database.empty() && !settings.service.sign_in.issuer.empty()) {
    return invalid(
        "{} does not work with {}, since a session is known to one server only; expected a proxy "
        "in front that signs people in ({})",
        read.at("oidc-issuer"), read.name("store"), read.name("proxy-header"));
  }
  if (const std::string& file = read.text("models"); !file.empty()) {
    if (!settings.hub.database.empty())
      return invalid(
          "{} does not work with {}, since runs of models do not move from server to server; "
          "expected {}, or 'allot work' on the database",
          read.at("models"), read.name("store"), read.name("data"));
    settings.service.models.endpoints =
        TRY(in_option(read.at("models"), read_model_endpoints(file)));
  }
  if (const std::string& file = read.text("access-log"); !file.empty()) settings.access_log = file;
  if (const auto level = TRY(log_level(read))) {
    settings.service.log_level = *level;
    settings.log = read.text("log");
  }
  if (const std::string& file = read.text("admin-token-file"); !file.empty())
    settings.admin_token_file = file;
  for (const Setting& setting : kServeSettings)
    settings.names[setting.name] = read.at(setting.name);
  return settings;
}

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
  std::vector<std::string_view> settings{"config"};
  for (const Setting& setting : kServeSettings) settings.emplace_back(setting.name);
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    if (!name.starts_with(kVariablePrefix)) continue;
    if (std::ranges::find(settings, name, variable_of) != settings.end()) continue;
    if (std::ranges::find(kOtherVariables, name) != std::end(kOtherVariables)) continue;
    std::string meant = name.substr(kVariablePrefix.size());
    std::ranges::replace(meant, '_', '-');
    const auto found = nearest(meant, settings);
    warnings.push_back(
        fmt::format("the environment variable {} names no setting{}", in_quotes(name),
                    found ? fmt::format(", did you mean '{}'?", variable_of(*found)) : ""));
  }
  return warnings;
}

}  // namespace allot::cli
