#include "allot/io/distribution_text.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/number_list.hpp"
#include "base/errors.hpp"

namespace allot::io {
namespace {

using model::BetaComponent;
using model::DirichletPrior;
using model::Prior;

constexpr std::string_view kForms =
    "uniform, jeffreys, haldane, beta:A,B, dirichlet:B,A or mix:W*beta(A,B)+W*beta(A,B)";
constexpr std::string_view kDirichlet = "dirichlet:";

/// A distribution can be longer than texts that `in_quotes` shows whole.
std::string shown(std::string_view text) { return "'" + for_display(text, 200) + "'"; }

tl::unexpected<Error> refuse_distribution(std::string_view text, std::string_view why,
                                          std::string_view forms = kForms) {
  return invalid("distribution {} {}; expected {}", shown(text), why, forms);
}

/// The accepted forms for multi-class items; 0 if the number of classes is unknown.
std::string class_forms(std::uint32_t class_count) {
  if (class_count == 0) return "uniform, jeffreys, dirichlet:A or dirichlet:A1,A2,A3,...";
  std::string each;
  for (std::uint32_t c = 1; c <= std::min(class_count, 4U); ++c) {
    each += fmt::format("{}A{}",
                        c == 1                      ? ""
                        : c == 4 && class_count > 4 ? ",...,"
                                                    : ",",
                        c == 4 ? class_count : c);
  }
  return fmt::format("uniform, jeffreys,{} dirichlet:A or dirichlet:{}",
                     class_count == 2 ? " beta:A,B," : "", each);
}

/// "4,1"
std::optional<BetaComponent> parse_shape(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) return {};
  const auto a = parse_number(trim(parts[0])), b = parse_number(trim(parts[1]));
  if (!a || !b) return {};
  return BetaComponent{1, *a, *b};
}

/// "0.6*beta(5,1)"; the weight may be left out if it is 1.
std::optional<BetaComponent> parse_component(std::string_view text) {
  text = trim(text);
  double weight = 1;
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    const auto number = parse_number(trim(text.substr(0, star)));
    if (!number) return {};
    weight = *number;
    text = trim(text.substr(star + 1));
  }
  if (!text.starts_with("beta(") || !text.ends_with(")")) return {};
  text.remove_prefix(5);
  text.remove_suffix(1);
  auto component = parse_shape(text);
  if (component) component->weight = weight;
  return component;
}

/// The terms of "0.6*beta(5,1)+1e+2*beta(1,5)": a plus sign belongs to an exponent unless it
/// follows a parenthesis.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && trim(text.substr(begin, i - begin)).ends_with(')')) {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

Result<Prior> parse_beta(std::string_view text, std::string_view parameters) {
  const auto shape = parse_shape(parameters);
  if (!shape) return refuse_distribution(text, "does not have two numbers");
  const bool improper = shape->a == 0 && shape->b == 0;
  if (!improper && (shape->a <= 0 || shape->b <= 0)) {
    return refuse_distribution(
        text, "has a parameter that is not positive (only beta:0,0, Haldane's prior, may be 0)");
  }
  if (shape->a > 1e12 || shape->b > 1e12)
    return refuse_distribution(text, "has a parameter above 1e12");
  return Prior::beta(shape->a, shape->b);
}

Result<Prior> parse_mixture(std::string_view text, std::string_view sum) {
  std::vector<BetaComponent> components;
  for (const std::string_view term : split_terms(sum)) {
    const auto component = parse_component(term);
    if (!component)
      return refuse_distribution(
          text, fmt::format("has a term {} that is not understood", shown(trim(term))));
    if (component->weight <= 0)
      return refuse_distribution(
          text, fmt::format("has a weight that is not positive in {}", shown(trim(term))));
    if (component->a <= 0 || component->b <= 0)
      return refuse_distribution(
          text, fmt::format("has a parameter that is not positive in {}", shown(trim(term))));
    if (component->a > 1e12 || component->b > 1e12 || component->weight > 1e12)
      return refuse_distribution(text,
                                 fmt::format("has a number above 1e12 in {}", shown(trim(term))));
    components.push_back(*component);
  }
  return Prior::mixture(std::move(components));
}

/// The parameters of "dirichlet:1,2.5,1".
Result<std::vector<double>> parse_dirichlet(std::string_view text, std::string_view forms) {
  std::vector<double> alpha;
  for (const std::string_view part : split(text.substr(kDirichlet.size()), ',')) {
    const auto number = parse_number(trim(part));
    if (!number)
      return refuse_distribution(
          text, fmt::format("has a parameter {} that is not a number", shown(trim(part))), forms);
    if (*number < DirichletPrior::kLeast || *number > DirichletPrior::kMost) {
      return refuse_distribution(
          text, fmt::format("has a parameter {} outside 1e-8 to 1e9", shown(trim(part))), forms);
    }
    alpha.push_back(*number);
  }
  return alpha;
}

/// Parses a Dirichlet prior of two classes; the second is the positive one.
Result<Prior> parse_two_classes(std::string_view text) {
  return parse_dirichlet(text, kForms)
      .and_then([&](const std::vector<double>& alpha) -> Result<Prior> {
        if (alpha.size() <= 2) return Prior::beta(alpha.back(), alpha.front());
        return refuse_distribution(
            text, fmt::format("has {} for 2 classes", count_text(alpha.size(), "parameter")));
      });
}

bool names_a_distribution(std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') && text.front() != '.' &&
         text.front() != '-' && text.front() != '+';
}

}  // namespace

Result<Prior> parse_prior(std::string_view text) {
  if (text == "uniform") return Prior::uniform();
  if (text == "jeffreys") return Prior::jeffreys();
  if (text == "haldane") return Prior::haldane();
  if (text.starts_with("beta:")) return parse_beta(text, text.substr(5));
  if (text.starts_with("mix:")) return parse_mixture(text, text.substr(4));
  if (text.starts_with(kDirichlet)) return parse_two_classes(text);
  return refuse_distribution(text, "is unknown");
}

Result<ItemPrior> parse_item_prior(std::string_view text) {
  using Family = model::PriorLearning::Family;
  if (text == "learn") return ItemPrior{{}, model::PriorLearning{.family = Family::beta}};
  if (text == "learn:mixture")
    return ItemPrior{{}, model::PriorLearning{.family = Family::mixture}};
  return parse_prior(text)
      .map([](const Prior& prior) { return ItemPrior{prior}; })
      .map_error([](Error error) {
        error.message += "; or learn or learn:mixture";
        return error;
      });
}

Result<DirichletPrior> parse_dirichlet_prior(std::string_view text, std::uint32_t class_count) {
  const std::string forms = class_forms(class_count);
  if (text == "uniform") return DirichletPrior::symmetric(class_count);
  if (text == "jeffreys") return DirichletPrior::symmetric(class_count, 0.5);
  if (text.starts_with(kDirichlet)) {
    return parse_dirichlet(text, forms)
        .and_then([&](const std::vector<double>& alpha) -> Result<DirichletPrior> {
          if (alpha.size() == 1) return DirichletPrior::symmetric(class_count, alpha.front());
          if (alpha.size() == class_count) return DirichletPrior::dirichlet(alpha);
          return refuse_distribution(
              text,
              fmt::format("has {} for {} classes", count_text(alpha.size(), "parameter"),
                          class_count),
              forms);
        });
  }
  const auto prior = parse_prior(text);
  if (!prior) return refuse_distribution(text, "is unknown", forms);
  if (class_count != 2)
    return refuse_distribution(
        text, fmt::format("has two classes, but the items have {}", class_count), forms);
  if (prior->is_mixture()) return refuse_distribution(text, "is a mixture", forms);
  const BetaComponent& shape = prior->components().front();
  for (const double number : {shape.a, shape.b}) {
    if (number < DirichletPrior::kLeast || number > DirichletPrior::kMost)
      return refuse_distribution(text, "has a parameter outside 1e-8 to 1e9", forms);
  }
  return DirichletPrior::dirichlet({shape.b, shape.a});
}

Result<void> check_prior(std::string_view text) {
  if (!text.starts_with(kDirichlet)) return parse_prior(text).map([](const Prior&) {});
  return parse_dirichlet(text, class_forms(0)).map([](const std::vector<double>&) {});
}

Result<model::SoftLabels> parse_soft_labels(std::string_view text, std::string_view plural) {
  if (names_a_distribution(text)) {
    return parse_prior(text).and_then([&](const Prior& prior) -> Result<model::SoftLabels> {
      if (prior.is_proper()) return prior;
      return invalid(
          "truth {} is improper: no {} can be drawn from it; expected positive parameters, such "
          "as beta:1,1",
          shown(text), plural);
    });
  }
  const auto numbers = parse_number_list(text, "", std::nullopt);
  const auto in_range = [](double x) { return x >= 0 && x <= 1; };
  if (!numbers || !std::ranges::all_of(*numbers, in_range)) {
    return invalid(
        "truth {} is not understood; expected a distribution ({}) or {} from 0 to 1 (0.1,0.5,0.9 "
        "or 0..1:0.05)",
        shown(text), kForms, plural);
  }
  return *numbers;
}

}  // namespace allot::io
