/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/authority.h"

#include "base/cleanup.h"
#include "base/secret.h"
#include "tls/internal.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

/* Random bits of a serial number, so that it cannot be guessed (CA/Browser
 * Forum, Baseline Requirements, 7.1). */
enum { SERIAL_BITS = 127, BACKDATED = 5 * 60 };

struct tls_authority {
	EVP_PKEY *key;
	X509 *cert;
	char *unit, *text; /* text: the certificate in PEM */
	time_t from, now, until;
};

DEFINE_CLEANUP(struct tls_authority, tls_authority_destroy)

static void free_cert_at(X509 **cert)
{
	X509_free(*cert);
}

static void free_key_at(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

static void free_number_at(BIGNUM **number)
{
	BN_free(*number);
}

static int fail(struct error *err, const char *what)
{
	const char *why = ERR_reason_error_string(ERR_peek_last_error());

	error_set(err, -EIO, "cannot make %s: %s", what,
		  why ? why : "out of memory");
	ERR_clear_error();
	return -EIO;
}

/* ---- certificates ---- */

static bool set_serial(X509 *cert)
{
	CLEANUP(free_number) BIGNUM *number = BN_new();

	return number &&
	       BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ONE,
		       BN_RAND_BOTTOM_ANY) == 1 &&
	       BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
}

static bool set_subject(X509 *cert, const char *unit, const char *name)
{
	X509_NAME *subject = X509_get_subject_name(cert);
	const char *const parts[][2] = {{"O", unit}, {"CN", name}};

	for (size_t i = 0; i < 2; i++)
		if (X509_NAME_add_entry_by_txt(
			    subject, parts[i][0], MBSTRING_UTF8,
			    (const unsigned char *)parts[i][1], -1, -1, 0) != 1)
			return false;
	return true;
}

static bool set_times(X509 *cert, time_t from, time_t until)
{
	return ASN1_TIME_set(X509_getm_notBefore(cert), from) &&
	       ASN1_TIME_set(X509_getm_notAfter(cert), until);
}

static bool extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX context = {0};
	X509_EXTENSION *extension;
	bool good;

	X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	good = extension && X509_add_ext(cert, extension, -1) == 1;
	X509_EXTENSION_free(extension);
	return good;
}

static bool extend_authority(X509 *cert)
{
	return extend(cert, cert, NID_basic_constraints,
		      "critical,CA:TRUE,pathlen:0") &&
	       extend(cert, cert, NID_key_usage, "critical,keyCertSign") &&
	       extend(cert, cert, NID_subject_key_identifier, "hash");
}

static bool extend_member(X509 *cert, X509 *issuer, const char *dns)
{
	char names[300];

	snprintf(names, sizeof(names), "DNS:%s", dns ? dns : "");
	return extend(cert, issuer, NID_basic_constraints,
		      "critical,CA:FALSE") &&
	       extend(cert, issuer, NID_key_usage,
		      "critical,digitalSignature") &&
	       extend(cert, issuer, NID_ext_key_usage,
		      dns ? "serverAuth" : "clientAuth") &&
	       extend(cert, issuer, NID_authority_key_identifier,
		      "keyid:always") &&
	       (!dns || extend(cert, issuer, NID_subject_alt_name, names));
}

/* A certificate but for its extensions and signature; NULL if that failed. */
static X509 *draft(const struct tls_authority *authority, const char *name,
		   EVP_PKEY *key)
{
	CLEANUP(free_cert) X509 *cert = X509_new();
	X509 *issuer = authority->cert ? authority->cert : cert;

	if (!cert || X509_set_version(cert, X509_VERSION_3) != 1 ||
	    !set_serial(cert) || !set_subject(cert, authority->unit, name) ||
	    !set_times(cert, authority->from, authority->until) ||
	    X509_set_issuer_name(cert, X509_get_subject_name(issuer)) != 1 ||
	    X509_set_pubkey(cert, key) != 1)
		return NULL;
	return STEAL(cert);
}

/* ---- PEM ---- */

/* What was written, and wipes it there; NULL without memory. */
static char *take_text(BIO *bio)
{
	char *data, *text;
	long n = BIO_get_mem_data(bio, &data);

	text = n > 0 ? strndup(data, (size_t)n) : NULL;
	if (n > 0)
		OPENSSL_cleanse(data, (size_t)n);
	return text;
}

static char *print_cert(X509 *cert)
{
	CLEANUP(tls_bio_free) BIO *bio = BIO_new(BIO_s_mem());

	return bio && PEM_write_bio_X509(bio, cert) == 1 ? take_text(bio)
							 : NULL;
}

static char *print_key(EVP_PKEY *key)
{
	CLEANUP(tls_bio_free) BIO *bio = BIO_new(BIO_s_mem());

	return bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0,
						    NULL, NULL) == 1
		       ? take_text(bio)
		       : NULL;
}

/* ---- the authority ---- */

int tls_authority_create(struct tls_authority **out, const char *unit,
			 time_t now, time_t life, struct error *err)
{
	CLEANUP(tls_authority_destroy)
	struct tls_authority *authority = calloc(1, sizeof(*authority));
	X509 *cert;

	if (!authority || !(authority->unit = strdup(unit)))
		return error_set(err, -ENOMEM, "out of memory");
	authority->now = now;
	authority->from = now - BACKDATED;
	authority->until = now + life;
	authority->key = EVP_EC_gen("P-256");
	cert = authority->key ? draft(authority, "authority", authority->key)
			      : NULL;
	authority->cert = cert;
	if (!cert || !extend_authority(cert) ||
	    X509_sign(cert, authority->key, EVP_sha256()) == 0 ||
	    !(authority->text = print_cert(cert)))
		return fail(err, "a certificate authority");
	*out = STEAL(authority);
	return 0;
}

int tls_authority_issue(const struct tls_authority *authority, const char *name,
			const char *dns, struct tls_identity *id,
			struct error *err)
{
	CLEANUP(free_key) EVP_PKEY *key = EVP_EC_gen("P-256");
	CLEANUP(free_cert) X509 *cert = NULL;
	CLEANUP(secret_free) char *secret = NULL;
	CLEANUP(free) char *text = NULL;

	cert = key ? draft(authority, name, key) : NULL;
	if (!cert || !extend_member(cert, authority->cert, dns) ||
	    X509_sign(cert, authority->key, EVP_sha256()) == 0 ||
	    !(text = print_cert(cert)) || !(secret = print_key(key)))
		return fail(err, "a certificate");
	return tls_identity_set(id, authority->text, text, secret, name,
				authority->now, err);
}

struct tls_authority *tls_authority_destroy(struct tls_authority *authority)
{
	if (!authority)
		return NULL;
	EVP_PKEY_free(authority->key);
	X509_free(authority->cert);
	free(authority->text);
	free(authority->unit);
	free(authority);
	return NULL;
}
