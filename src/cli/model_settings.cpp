#include "cli/model_settings.hpp"

#include <set>

#include "allot/io/text_file.hpp"
#include "cli/options.hpp"
#include "cli/secret_option.hpp"
#include "cli/toml_text.hpp"
#include "http/client.hpp"
#include "http/url.hpp"

namespace allot::cli {
namespace {

constexpr std::string_view kEndpointMembers[] = {"name",         "url",     "key-file",
                                                 "key-variable", "at-once", "logprobs",
                                                 "roots",        "models",  "families"};

/// One [[endpoint]] of the file.
class EndpointReader {
 public:
  EndpointReader(const std::string& path, const toml::table& table) : path_(path), table_(table) {}

  Result<serve::ModelEndpoint> read() const {
    for (const auto& [key, node] : table_) {
      const std::vector<std::string_view> known(std::begin(kEndpointMembers),
                                                std::end(kEndpointMembers));
      if (std::ranges::find(known, key.str()) == known.end())
        return invalid("{}: unknown member {} of an endpoint{}", path_, in_quotes(key.str()),
                       suggestion(std::string(key.str()), known));
    }
    serve::ModelEndpoint endpoint;
    endpoint.name = TRY(text("name"));
    endpoint.url = TRY(text("url"));
    constexpr std::string_view kChat = "/chat/completions";
    if (endpoint.url.ends_with(kChat)) endpoint.url.resize(endpoint.url.size() - kChat.size());
    if (const auto url = http::parse_web_url(endpoint.url); !url)
      return invalid("{}: {}", path_, url.error().message);
    endpoint.roots = TRY(text("roots", true));
    if (!endpoint.roots.empty())
      TRY(in_option(path_, http::Client::check({.roots = endpoint.roots})));
    endpoint.key = TRY(key());
    endpoint.at_once = TRY(at_once());
    if (const toml::node* const node = table_.get("logprobs")) {
      if (!node->is_boolean()) return wrong("logprobs", "true or false");
      endpoint.log_probabilities = **node->as_boolean();
    }
    endpoint.models = TRY(models());
    endpoint.families = TRY(families(endpoint.models));
    return endpoint;
  }

 private:
  tl::unexpected<Error> wrong(std::string_view member, std::string_view expected) const {
    return invalid("{}: member {} of an endpoint is missing or of another type; expected {}", path_,
                   in_quotes(member), expected);
  }
  Result<std::string> text(std::string_view name, bool optional = false) const {
    const toml::node* const node = table_.get(name);
    if (!node && optional) return std::string();
    if (!node || !node->is_string() || node->as_string()->get().empty())
      return wrong(name, "a text");
    return node->as_string()->get();
  }
  Result<std::string> key() const {
    const auto file = TRY(text("key-file", true)), variable = TRY(text("key-variable", true));
    if (file.empty() && variable.empty()) return std::string();
    if (!file.empty() && !variable.empty())
      return invalid("{}: an endpoint has key-file and key-variable; expected one of them", path_);
    return read_secret("key-file", file.empty() ? std::nullopt : std::optional(file), variable);
  }
  Result<std::uint32_t> at_once() const {
    constexpr std::int64_t kMost = 256;
    const toml::node* const node = table_.get("at-once");
    if (!node) return serve::ModelEndpoint{}.at_once;
    const std::int64_t count = node->is_integer() ? node->as_integer()->get() : 0;
    if (count < 1 || count > kMost) return wrong("at-once", "a whole number from 1 to 256");
    return static_cast<std::uint32_t>(count);
  }
  Result<std::vector<std::pair<std::string, Money>>> models() const {
    const toml::node* const node = table_.get("models");
    if (!node || !node->is_table() || node->as_table()->empty())
      return wrong("models", "names with prices, such as { small = \"0.001\" }");
    std::vector<std::pair<std::string, Money>> models;
    for (const auto& [name, price] : *node->as_table()) {
      const std::string_view model = name.str();
      if (model.empty() || model.find_first_of(",\n") != std::string_view::npos)
        return invalid("{}: model {} has no usable name; expected one without commas", path_,
                       in_quotes(model));
      if (!price.is_string())
        return invalid("{}: the price of model {} is no text; expected one such as \"0.001\"",
                       path_, in_quotes(model));
      const auto money = parse_price(price.as_string()->get());
      if (!money)
        return invalid("{}: model {}: {}", path_, in_quotes(model), money.error().message);
      models.emplace_back(model, *money);
    }
    return models;
  }

  Result<std::map<std::string, std::string>> families(
      const std::vector<std::pair<std::string, Money>>& models) const {
    std::map<std::string, std::string> families;
    const toml::node* const node = table_.get("families");
    if (!node) return families;
    constexpr std::string_view kExpected = "models with groups, such as { small = \"judges\" }";
    if (!node->is_table()) return wrong("families", kExpected);
    for (const auto& [name, family] : *node->as_table()) {
      const std::string model(name.str());
      const auto known = std::ranges::find(models, model, &std::pair<std::string, Money>::first);
      if (known == models.end())
        return invalid("{}: families names {}, which is no model of the endpoint; expected one",
                       path_, in_quotes(model));
      if (!family.is_string()) return wrong("families", kExpected);
      families[model] = family.as_string()->get();
    }
    return families;
  }

  const std::string& path_;
  const toml::table& table_;
};

}  // namespace

Result<std::vector<serve::ModelEndpoint>> read_model_endpoints(const std::string& path) {
  const auto text = TRY(io::read_text_file(path));
  const toml::table table = TRY(parse_toml(path, text, "name = \"local\""));
  const toml::node* const list = table.get("endpoint");
  if (table.size() != 1 || !list || !list->is_array_of_tables())
    return invalid("{}: no list of endpoints; expected [[endpoint]] and nothing else", path);
  std::vector<serve::ModelEndpoint> endpoints;
  std::set<std::string> names, models;
  for (const toml::node& node : *list->as_array()) {
    auto endpoint = TRY(EndpointReader(path, *node.as_table()).read());
    if (!names.insert(endpoint.name).second)
      return invalid("{}: two endpoints have the name {}; expected names of their own", path,
                     in_quotes(endpoint.name));
    for (const auto& [model, price] : endpoint.models) {
      if (!models.insert(model).second)
        return invalid("{}: two endpoints have model {}; expected one, since a model is a worker",
                       path, in_quotes(model));
    }
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

}  // namespace allot::cli
