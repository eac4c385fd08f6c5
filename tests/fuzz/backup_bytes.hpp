// Fuzz targets for files that come back from disks: compressed texts, backups, logs of SQLite.
#pragma once

#include <string_view>

namespace allot::test {

/// The first byte says what the rest is: a compressed file, a text to compress, or the middle of a
/// compressed file whose checksum is then right.
void check_gzip_bytes(std::string_view bytes);
/// The manifest of a backup; if the first byte is odd, its line, whose digest is then right.
void check_manifest_bytes(std::string_view bytes);
/// A part of a backup: changes of a good one, each as two bytes for its place, one for its length,
/// and the bytes.
void check_part_bytes(std::string_view bytes);
/// A database's log and its index: changes of good ones. Each is one byte for its kind, two for a
/// place, one for a length, and the bytes.
void check_log_bytes(std::string_view bytes);

}  // namespace allot::test
