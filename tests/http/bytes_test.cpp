// The fuzz target over a fixed corpus: requests put together from pieces that matter.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "fuzz/http_bytes.hpp"

namespace allot::test::bytes_test {
namespace {

constexpr const char* kPieces[] = {"GET ",
                                   "POST ",
                                   "HEAD /",
                                   "/",
                                   "%2F",
                                   "%2e",
                                   "..",
                                   "%",
                                   "%00",
                                   "%c3%a4",
                                   "?",
                                   "&",
                                   "=",
                                   "http://h",
                                   " HTTP/1.1\r\n",
                                   " HTTP/1.0\r\n",
                                   "Host: a\r\n",
                                   "Content-Length: 5\r\n",
                                   "Content-Length: 500\r\n",
                                   "Transfer-Encoding: chunked\r\n",
                                   "Transfer-Encoding: ",
                                   "chunked",
                                   ", ",
                                   ":",
                                   " ",
                                   "\t",
                                   "\r\n",
                                   "\r\n\r\n",
                                   "\r",
                                   "\n",
                                   "hello",
                                   "0\r\n",
                                   "5\r\n",
                                   "5\r\nhello\r\n",
                                   "0\r\n\r\n",
                                   "ffffffffffffffffff",
                                   ";a=\"b\"",
                                   "Expect: 100-continue\r\n",
                                   "X: y\r\n"};

std::string random_bytes(std::mt19937_64& random) {
  std::string bytes;
  // Half of them begin like a request in order.
  if (random() % 2) bytes = "POST /a HTTP/1.1\r\nHost: a\r\n";
  if (random() % 2) bytes += "Transfer-Encoding: chunked\r\n\r\n";
  for (std::uint64_t k = random() % 20; k > 0; --k) {
    if (random() % 8 == 0)
      bytes += static_cast<char>(random() % 256);
    else
      bytes += kPieces[random() % std::size(kPieces)];
  }
  return bytes;
}

TEST(HttpBytes, KeepTheLawsOfTheFuzzTarget) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 20'000; ++k) {
    const std::string bytes = random_bytes(random);
    SCOPED_TRACE(bytes);
    check_http_bytes(bytes);
  }
}

}  // namespace
}  // namespace allot::test::bytes_test
