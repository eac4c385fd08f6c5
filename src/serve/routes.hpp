// The routes of the service, one file per group; each function adds its group to the table.
#pragma once

#include <vector>

#include "serve/route.hpp"

namespace allot::serve {

void add_server_routes(std::vector<Route>& routes);
void add_token_routes(std::vector<Route>& routes);
void add_campaign_routes(std::vector<Route>& routes);
void add_twin_routes(std::vector<Route>& routes);
void add_import_routes(std::vector<Route>& routes);
void add_item_list_routes(std::vector<Route>& routes);
void add_item_routes(std::vector<Route>& routes);
void add_assignment_routes(std::vector<Route>& routes);
void add_label_routes(std::vector<Route>& routes);
void add_report_routes(std::vector<Route>& routes);
void add_export_routes(std::vector<Route>& routes);
void add_board_routes(std::vector<Route>& routes);
void add_forecast_routes(std::vector<Route>& routes);
void add_live_routes(std::vector<Route>& routes);
void add_webhook_routes(std::vector<Route>& routes);
void add_page_routes(std::vector<Route>& routes);

/// True if a browser asks for a page that does not exist; it then gets a page that says so.
bool wants_page(const Call& call);
void send_no_such_page(const CallPtr& call);

}  // namespace allot::serve
