// Fuzz targets for texts that people and programs write: JSON, tables, settings, addresses,
// prompts, options.
#pragma once

#include <string_view>

namespace allot::test {

/// The body of a request, and JSON read digit by digit.
void check_json_bytes(std::string_view bytes);
/// A label file. The first byte chooses a format, or that it is recognised.
void check_label_bytes(std::string_view bytes);
/// The other tables, verdicts among them; the first byte says which. Items say the same whole and
/// in pieces.
void check_table_bytes(std::string_view bytes);
/// A configuration file of the server.
void check_settings_bytes(std::string_view bytes);
/// An address: of a web page, of a request, of a store.
void check_url_bytes(std::string_view bytes);
/// A prompt, the reply to one, and the interface of Label Studio.
void check_prompt_bytes(std::string_view bytes);
/// Values of options: amounts, times, budgets in labels and in money, priors, pools, stop rules,
/// methods of refits. The first byte says which.
void check_option_bytes(std::string_view bytes);

}  // namespace allot::test
