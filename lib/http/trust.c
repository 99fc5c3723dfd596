/* SPDX-License-Identifier: Apache-2.0 */

/*
 * curl says of a wrong PEM no more than that there is a problem with it, and
 * only when it connects; OpenSSL asks the terminal for the password of a key
 * that has one.  So all is read here before.
 */

#include "http/internal.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

static void close_bio(BIO **bio)
{
	BIO_free(*bio);
}

static void free_certificate(X509 **certificate)
{
	X509_free(*certificate);
}

static void free_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

static int no_password(char *text, int n, int writing, void *user)
{
	bool *asked = user;

	*asked = true;
	return -1;
}

/* The first of the text; NULL: there is none. */
static X509 *read_certificate(const char *text)
{
	__attribute__((cleanup(close_bio))) BIO *bio =
		BIO_new_mem_buf(text, -1);
	bool asked = false;

	return bio ? PEM_read_bio_X509(bio, NULL, no_password, &asked) : NULL;
}

static EVP_PKEY *read_key(const char *text, bool *asked)
{
	__attribute__((cleanup(close_bio))) BIO *bio =
		BIO_new_mem_buf(text, -1);

	return bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, asked)
		   : NULL;
}

static int check_authority(const char *text, struct error *err)
{
	__attribute__((cleanup(free_certificate))) X509 *certificate =
		read_certificate(text);

	return certificate ? 0
			   : error_set(err, -EINVAL,
				       "the certificates of the authorities to "
				       "believe are not in PEM: "
				       "\"-----BEGIN CERTIFICATE-----\" is "
				       "expected, and what belongs to it");
}

static int check_identity(const struct http_tls *tls, struct error *err)
{
	__attribute__((cleanup(free_certificate))) X509 *certificate =
		read_certificate(tls->cert);
	__attribute__((cleanup(free_key))) EVP_PKEY *key = NULL;
	bool asked = false;

	if (!certificate)
		return error_set(err, -EINVAL,
				 "the client certificate is not in PEM: "
				 "\"-----BEGIN CERTIFICATE-----\" is expected, "
				 "and what belongs to it");
	key = read_key(tls->key, &asked);
	if (!key && asked)
		return error_set(err, -EINVAL,
				 "the key of the client certificate has a "
				 "password; one without is needed");
	if (!key)
		return error_set(err, -EINVAL,
				 "the key of the client certificate is not in "
				 "PEM: \"-----BEGIN PRIVATE KEY-----\" is "
				 "expected, and what belongs to it");
	if (X509_check_private_key(certificate, key) != 1)
		return error_set(err, -EINVAL,
				 "the key is not that of the client "
				 "certificate");
	return 0;
}

int http_trust_check(const struct http_tls *tls, struct error *err)
{
	int r = 0;

	if (!tls->cert != !tls->key)
		return error_set(
			err, -EINVAL,
			"a client certificate and its key go together, "
			"but there is only the %s",
			tls->cert ? "certificate" : "key");
	if (tls->ca)
		r = check_authority(tls->ca, err);
	if (r == 0 && tls->cert)
		r = check_identity(tls, err);
	/* else the next caller of OpenSSL would get these errors */
	ERR_clear_error();
	return r;
}
