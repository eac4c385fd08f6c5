// The built pages of the service, as files inside the program.
//
// Vite builds them from web/, and web/embed.js puts them into the program, plain and gzipped. A
// program built with -DALLOT_WEB=OFF has none.
#pragma once

#include <span>
#include <string_view>

namespace allot::serve {

struct PageFile {
  /// "/index.html", "/assets/index-BGp6ElQk.js"
  std::string_view path;
  std::string_view type;
  /// Digest of the contents.
  std::string_view tag;
  std::string_view plain, zipped;
};

/// Sorted by path.
std::span<const PageFile> page_files();

}  // namespace allot::serve
