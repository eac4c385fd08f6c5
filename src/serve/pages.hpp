// The pages of the service as they were built: files with their types, part of the program.
//
// They are made from web/ by Vite and put into the program as they are and gzipped (web/embed.js);
// a program that was built without them (-DALLOT_WEB=OFF) has none.
#pragma once

#include <span>
#include <string_view>

namespace allot::serve {

struct PageFile {
  /// "/index.html", "/assets/index-BGp6ElQk.js"
  std::string_view path;
  std::string_view type;
  /// Of its contents.
  std::string_view tag;
  std::string_view plain, zipped;
};

/// In the order of their paths.
std::span<const PageFile> page_files();

}  // namespace allot::serve
