#include "serve/backup_manifest.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "serve/json.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

namespace bj = boost::json;

constexpr std::uint64_t kManifestFormat = 1;
constexpr std::size_t kPieceOfFile = 1 << 20;

std::string file_json(const BackupFile& file) {
  return JsonObject()
      .whole("backup", file.backup)
      .whole("bytes", file.bytes)
      .text("digest", file.digest);
}

std::string piece_json(const CampaignBackup::Piece& piece) {
  return JsonObject()
      .json("file", file_json(piece.file))
      .text("campaign", piece.end.campaign)
      .whole("format", static_cast<std::uint64_t>(piece.end.format))
      .whole("last", piece.end.last)
      .whole("checksum", piece.end.checksum)
      .whole("contents", piece.end.contents);
}

std::string campaign_json(const CampaignBackup& campaign) {
  return JsonObject().text("id", campaign.id).list("pieces", campaign.pieces, piece_json);
}

std::uint64_t whole(const bj::value& object, const char* name) {
  return object.at(name).to_number<std::uint64_t>();
}
std::string word(const bj::value& object, const char* name) {
  return bj::value_to<std::string>(object.at(name));
}

BackupFile read_file_entry(const bj::value& value) {
  return {whole(value, "backup"), word(value, "digest"), whole(value, "bytes")};
}

CampaignBackup read_campaign_entry(const bj::value& value) {
  CampaignBackup campaign{.id = word(value, "id")};
  for (const bj::value& piece : value.at("pieces").as_array()) {
    campaign.pieces.push_back({read_file_entry(piece.at("file")),
                               {.campaign = word(piece, "campaign"),
                                .format = static_cast<std::int64_t>(whole(piece, "format")),
                                .last = whole(piece, "last"),
                                .checksum = whole(piece, "checksum"),
                                .contents = whole(piece, "contents")}});
  }
  return campaign;
}

/// An id becomes part of a path.
bool can_be_id(std::string_view id) {
  const auto plain = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  };
  return !id.empty() && std::ranges::all_of(id, plain);
}

tl::unexpected<Error> spoiled(const std::string& path) {
  return fail(ErrorCode::store_failure,
              "{}: the manifest is damaged; expected one as 'allot backup' writes it",
              in_quotes(path));
}

/// Reads a file to its end: visit(bytes) for each piece.
template <typename Visit>
Result<BackupFile> read_pieces(const std::string& path, Visit visit) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return fail(ErrorCode::store_failure, "{} cannot be read; expected a file of the backup",
                in_quotes(path));
  }
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  std::string piece(kPieceOfFile, '\0');
  BackupFile file;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(in.gcount()));
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
    file.bytes += bytes.size();
    TRY(visit(bytes));
  }
  if (in.bad()) {
    return fail(ErrorCode::store_failure, "{} cannot be read to its end; check the disk",
                in_quotes(path));
  }
  std::string digest(crypto_generichash_BYTES, '\0');
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(digest.data()), digest.size());
  file.digest = hex(digest);
  return file;
}

}  // namespace

const CampaignBackup* BackupManifest::find(const std::string& id) const {
  const auto found = std::ranges::find(campaigns, id, &CampaignBackup::id);
  return found == campaigns.end() ? nullptr : &*found;
}

std::string backup_name(std::uint64_t number) { return fmt::format("{:06}", number); }
std::string campaign_path(const std::string& id) { return fmt::format("campaigns/{}.db", id); }

std::string manifest_text(const BackupManifest& manifest) {
  const std::string text = JsonObject()
                               .whole("format", kManifestFormat)
                               .text("allot", manifest.version)
                               .whole("number", manifest.number)
                               .time("made", manifest.made)
                               .json("server", file_json(manifest.server))
                               .list("campaigns", manifest.campaigns, campaign_json);
  return fmt::format("{}\n{}\n", text, hex(digest_of(text)));
}

Result<void> write_manifest(const BackupManifest& manifest, const std::string& path) {
  return io::write_text_file(path, manifest_text(manifest));
}

Result<BackupManifest> read_manifest(const std::string& path) {
  return parse_manifest(TRY(io::read_text_file(path)), path);
}

Result<BackupManifest> parse_manifest(std::string_view text, const std::string& path) try {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos || text.substr(end + 1) != hex(digest_of(line)) + "\n") {
    return spoiled(path);
  }
  const bj::value value = bj::parse(line);
  if (whole(value, "format") > kManifestFormat) {
    return fail(ErrorCode::store_failure,
                "{}: written by a newer allot (format {}); expected format {} or older",
                in_quotes(path), whole(value, "format"), kManifestFormat);
  }
  const auto made = parse_time(word(value, "made"));
  if (!made) return spoiled(path);
  BackupManifest manifest{.number = whole(value, "number"),
                          .made = *made,
                          .version = word(value, "allot"),
                          .server = read_file_entry(value.at("server"))};
  for (const bj::value& campaign : value.at("campaigns").as_array()) {
    manifest.campaigns.push_back(read_campaign_entry(campaign));
    const CampaignBackup& last = manifest.campaigns.back();
    if (last.pieces.empty() || !can_be_id(last.id)) return spoiled(path);
  }
  return manifest;
} catch (const std::exception&) {
  return spoiled(path);
}

Result<BackupFile> file_digest(const std::string& path) {
  return read_pieces(path, [](std::string_view) -> Result<void> { return {}; });
}

Result<void> copy_checked(const std::string& from, const BackupFile& file, const std::string& to) {
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  const auto copied = TRY(read_pieces(from, [&](std::string_view bytes) -> Result<void> {
    if (out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return {};
    return fail(ErrorCode::write_failure, "{} cannot be written; is the disk full?", in_quotes(to));
  }));
  if (!out.flush()) {
    return fail(ErrorCode::write_failure, "{} cannot be written; is the disk full?", in_quotes(to));
  }
  if (copied.digest == file.digest) return {};
  return fail(ErrorCode::store_failure,
              "{}: the file is damaged, its digest is not that of the manifest; expected the file "
              "as 'allot backup' wrote it",
              in_quotes(from));
}

Result<void> sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const int wrong = errno;
  if (file >= 0) ::close(file);
  if (synced) return {};
  return fail(ErrorCode::write_failure,
              "{} cannot be synced ({}); check the disk and its free space", in_quotes(path),
              std::generic_category().message(wrong));
}

}  // namespace allot::serve
