#include "allot/base/check.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace allot {

void reject(std::string_view function, std::string_view argument, double value,
            std::string_view expected) {
  throw std::invalid_argument(fmt::format("{}: {} is {}; {}", function, argument, value, expected));
}

}  // namespace allot
