// For a program without pages.
#include "serve/pages.hpp"

namespace allot::serve {

std::span<const PageFile> page_files() { return {}; }

}  // namespace allot::serve
