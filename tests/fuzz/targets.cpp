#include "fuzz/targets.hpp"

#include <array>

#include "fuzz/backup_bytes.hpp"
#include "fuzz/http_bytes.hpp"
#include "fuzz/ledger_bytes.hpp"
#include "fuzz/reply_bytes.hpp"
#include "fuzz/sign_in_bytes.hpp"
#include "fuzz/text_bytes.hpp"

namespace allot::test {

std::span<const FuzzTarget> fuzz_targets() {
  static constexpr std::array<FuzzTarget, 18> kTargets{{
      {"http", check_http_bytes},
      {"json", check_json_bytes},
      {"labels", check_label_bytes},
      {"tables", check_table_bytes},
      {"settings", check_settings_bytes},
      {"url", check_url_bytes},
      {"token", check_token_bytes},
      {"prompt", check_prompt_bytes},
      {"option", check_option_bytes},
      {"ledger", check_ledger_bytes},
      {"snapshot", check_snapshot_bytes},
      {"sign_in", check_sign_in_bytes},
      {"response", check_response_bytes},
      {"reply", check_reply_bytes},
      {"gzip", check_gzip_bytes},
      {"manifest", check_manifest_bytes},
      {"part", check_part_bytes},
      {"log", check_log_bytes},
  }};
  return kTargets;
}

}  // namespace allot::test
