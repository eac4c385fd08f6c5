// The route table as a document: OpenAPI 3.1 for programs, a page for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "serve/route.hpp"

namespace allot::serve {

/// Schemas that several routes share, by name.
std::vector<std::pair<std::string, std::string>> components();
/// Those of recruiting links and sessions.
std::vector<std::pair<std::string, std::string>> recruiting_components();

std::string make_openapi(const std::vector<Route>& routes, const std::string& version);

/// An HTML page that lists every route, without scripts or anything from other servers.
std::string make_docs(const std::vector<Route>& routes);

}  // namespace allot::serve
