#include "allot/io/pool_text.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "base/errors.hpp"

namespace allot::io {
namespace {

using model::Prior;
using model::WorkerPool;
using model::WorkerType;

constexpr std::uint64_t kMostWorkers = std::numeric_limits<std::uint32_t>::max();

tl::unexpected<Error> refuse_pool(std::string_view text, std::string_view why) {
  return invalid(
      "pool {} {}; expected types NAME=COUNT*RELIABILITY@PRICE~REPEATS joined by +, such as "
      "llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08",
      in_quotes(text), why);
}

/// The parts between plus signs outside parentheses.
std::vector<std::string_view> split_types(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == '+' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The part before the first `sign`; removes it and the sign from the text. Nothing without a sign.
std::optional<std::string_view> take_before(std::string_view& text, char sign) {
  const std::size_t end = text.find(sign);
  if (end == std::string_view::npos) return {};
  const std::string_view before = trim(text.substr(0, end));
  text.remove_prefix(end + 1);
  return before;
}

/// beta(9,1) as beta:9,1 and mix:(...) as mix:...; other texts unchanged.
std::string without_parentheses(std::string_view text) {
  for (const std::string_view opening : {"beta(", "mix:("}) {
    if (text.starts_with(opening) && text.ends_with(')')) {
      const std::string_view inside = text.substr(opening.size(), text.size() - opening.size() - 1);
      return fmt::format("{}:{}", opening.substr(0, opening.find_first_of(":(")), inside);
    }
  }
  return std::string(text);
}

Result<Prior> parse_reliability(std::string_view text) {
  return parse_prior(without_parentheses(text)).and_then([&](const Prior& prior) -> Result<Prior> {
    if (prior.is_proper()) return prior;
    return invalid("distribution {} is improper: no reliability can be drawn from it",
                   in_quotes(text));
  });
}

/// The message without the accepted forms of the distribution or the amount.
std::string reason(const Error& error) {
  return error.message.substr(0, error.message.find("; expected"));
}

/// Parses one type of workers; an error tells the problem.
Result<WorkerType> parse_type(std::string_view part, std::size_t place) {
  const auto fault = [](std::string why) { return fail(ErrorCode::invalid_argument, why); };
  WorkerType type{.name = fmt::format("type-{}", place)};
  std::string_view rest = part;
  if (const auto name = take_before(rest, '=')) {
    if (name->empty()) return fault("a name is missing before '='");
    type.name = *name;
  }
  const auto count = take_before(rest, '*');
  const auto number = count ? parse_whole(*count) : std::nullopt;
  if (!number || *number == 0 || *number > kMostWorkers) {
    return fault(count ? fmt::format("count {} is not a whole number above 0", in_quotes(*count))
                       : "no count before '*'");
  }
  type.count = static_cast<std::uint32_t>(*number);
  if (const std::size_t tilde = rest.rfind('~'); tilde != std::string_view::npos) {
    const auto repeats = parse_number(trim(rest.substr(tilde + 1)));
    if (!repeats || !(*repeats > 0 && *repeats <= 1)) {
      return fault(fmt::format("chance {} after '~' is not a number above 0 and up to 1",
                               in_quotes(trim(rest.substr(tilde + 1)))));
    }
    type.repeats = *repeats;
    rest = rest.substr(0, tilde);
  }
  const std::size_t at = rest.rfind('@');
  if (at != std::string_view::npos) {
    const auto price = parse_price(trim(rest.substr(at + 1)));
    if (!price) return fault(reason(price.error()));
    type.price = *price;
  }
  const auto reliability = parse_reliability(trim(rest.substr(0, at)));
  if (!reliability) return fault(reason(reliability.error()));
  type.reliability = *reliability;
  return type;
}

}  // namespace

Result<WorkerPool> parse_pool(std::string_view text) {
  WorkerPool pool;
  std::uint64_t workers = 0;
  for (const std::string_view part : split_types(text)) {
    auto type = parse_type(part, pool.types.size() + 1);
    if (!type) {
      return refuse_pool(text, fmt::format("has a type {} that is not understood ({})",
                                           in_quotes(trim(part)), type.error().message));
    }
    if (std::ranges::find(pool.types, type->name, &WorkerType::name) != pool.types.end())
      return refuse_pool(text, fmt::format("names {} twice", in_quotes(type->name)));
    workers += type->count;
    if (workers > kMostWorkers) return refuse_pool(text, "has more than 4,294,967,295 workers");
    pool.types.push_back(*std::move(type));
  }
  return pool;
}

}  // namespace allot::io
