// A certificate of our own.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <functional>
#include <memory>
#include <string>

#include "support/folder.hpp"

namespace allot::test {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* thing) const { Free(thing); }
};
using KeyPair = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;

inline std::string pem(const std::function<void(BIO*)>& write) {
  const std::unique_ptr<BIO, Freed<BIO, BIO_free_all>> bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* text = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &text));
  return {text, size};
}

/// A key and a certificate that it signed itself, as files.
struct Keys {
  Keys() : key(EVP_EC_gen("P-256")), certificate(X509_new()) {
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* const name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    certificate_file =
        folder.file("cert.pem", pem([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); }));
    key_file = folder.file("key.pem", pem([&](BIO* out) {
                             PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr,
                                                      nullptr);
                           }));
  }

  Folder folder;
  KeyPair key;
  Certificate certificate;
  std::string certificate_file, key_file;
};

}  // namespace allot::test
