/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/identity.h"

#include "base/cleanup.h"
#include "base/secret.h"
#include "tls/internal.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

/* The texts of an identity, as OpenSSL has them. */
struct parts {
	STACK_OF(X509) * authorities; /* of ca.crt */
	STACK_OF(X509) * chain;       /* of tls.crt, the first one its own */
	EVP_PKEY *key;
};

static void parts_fini_at(struct parts *parts)
{
	sk_X509_pop_free(parts->authorities, X509_free);
	sk_X509_pop_free(parts->chain, X509_free);
	EVP_PKEY_free(parts->key);
	ERR_clear_error();
}

static void free_store_at(X509_STORE **store)
{
	X509_STORE_free(*store);
}

static void free_check_at(X509_STORE_CTX **check)
{
	X509_STORE_CTX_free(*check);
}

/* ---- reading PEM ---- */

/* OpenSSL would ask the terminal. */
static int no_password(char *text, int n, int writing, void *user)
{
	return -1;
}

/* All certificates of a text; NULL if there is none, or one is broken. */
static STACK_OF(X509) * parse_certificates(const char *text)
{
	CLEANUP(tls_bio_free) BIO *bio = BIO_new_mem_buf(text, -1);
	STACK_OF(X509) *list = sk_X509_new_null();
	X509 *one;

	while (bio && list &&
	       (one = PEM_read_bio_X509(bio, NULL, no_password, NULL)))
		if (sk_X509_push(list, one) == 0)
			X509_free(one);
	/* the end of the text is an error like any other */
	if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE &&
	    sk_X509_num(list) > 0)
		return list;
	sk_X509_pop_free(list, X509_free);
	return NULL;
}

static EVP_PKEY *parse_key(const char *text)
{
	CLEANUP(tls_bio_free) BIO *bio = BIO_new_mem_buf(text, -1);

	return bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL)
		   : NULL;
}

static int parse(struct parts *parts, const struct tls_identity *id,
		 const char *where, struct error *err)
{
	ERR_clear_error();
	parts->authorities = parse_certificates(id->ca);
	if (!parts->authorities)
		return error_set(err, -EINVAL,
				 "%s/ca.crt: no certificate in PEM", where);
	ERR_clear_error();
	parts->chain = parse_certificates(id->cert);
	if (!parts->chain)
		return error_set(err, -EINVAL,
				 "%s/tls.crt: no certificate in PEM", where);
	parts->key = parse_key(id->key);
	if (!parts->key)
		return error_set(err, -EINVAL,
				 "%s/tls.key: no private key in PEM that has "
				 "no password",
				 where);
	return 0;
}

/* ---- do they fit ---- */

static time_t time_of(const ASN1_TIME *time)
{
	struct tm at;

	return ASN1_TIME_to_tm(time, &at) == 1 ? timegm(&at) : 0;
}

static const char *day(const ASN1_TIME *time, char *text, size_t n)
{
	time_t at = time_of(time);
	struct tm tm;

	strftime(text, n, "%Y-%m-%d %H:%M UTC", gmtime_r(&at, &tm));
	return text;
}

/* The authority may have expired as well, which OpenSSL finds first. */
static int refuse_time(X509_STORE_CTX *check, const char *where, time_t now,
		       struct error *err)
{
	X509 *at = X509_STORE_CTX_get_current_cert(check);
	X509 *own = X509_STORE_CTX_get0_cert(check);
	bool late =
		X509_STORE_CTX_get_error(check) == X509_V_ERR_CERT_HAS_EXPIRED;
	const char *whose = "the authority above ";
	char when[32];

	if (time_of(X509_get0_notAfter(own)) < now ||
	    time_of(X509_get0_notBefore(own)) > now) {
		at = own;
		whose = "it ";
	}
	if (late)
		return error_set(
			err, -EINVAL, "%s/tls.crt: %sexpired on %s", where,
			whose, day(X509_get0_notAfter(at), when, sizeof(when)));
	return error_set(err, -EINVAL,
			 "%s/tls.crt: %sis valid from %s on; is the clock "
			 "right?",
			 where, whose,
			 day(X509_get0_notBefore(at), when, sizeof(when)));
}

static int refuse_certificate(X509_STORE_CTX *check, const char *where,
			      time_t now, struct error *err)
{
	int why = X509_STORE_CTX_get_error(check);

	if (why == X509_V_ERR_CERT_HAS_EXPIRED ||
	    why == X509_V_ERR_CERT_NOT_YET_VALID)
		return refuse_time(check, where, now, err);
	return error_set(err, -EINVAL, "%s/tls.crt: not signed by ca.crt: %s",
			 where, X509_verify_cert_error_string(why));
}

static int verify(const struct parts *parts, const char *where, time_t now,
		  struct error *err)
{
	CLEANUP(free_store) X509_STORE *store = X509_STORE_new();
	CLEANUP(free_check) X509_STORE_CTX *check = X509_STORE_CTX_new();

	if (!store || !check)
		return error_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < sk_X509_num(parts->authorities); i++)
		X509_STORE_add_cert(store,
				    sk_X509_value(parts->authorities, i));
	if (X509_STORE_CTX_init(check, store, sk_X509_value(parts->chain, 0),
				parts->chain) != 1)
		return error_set(err, -ENOMEM, "out of memory");
	X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(check), now);
	return X509_verify_cert(check) == 1
		       ? 0
		       : refuse_certificate(check, where, now, err);
}

static void describe(struct tls_identity *id, const struct parts *parts)
{
	X509 *own = sk_X509_value(parts->chain, 0);

	X509_NAME_get_text_by_NID(X509_get_subject_name(own), NID_commonName,
				  id->name, sizeof(id->name));
	id->until = time_of(X509_get0_notAfter(own));
}

static int check(struct tls_identity *id, const char *where, time_t now,
		 struct error *err)
{
	CLEANUP(parts_fini) struct parts parts = {0};
	int r = parse(&parts, id, where, err);

	if (r < 0)
		return r;
	if (X509_check_private_key(sk_X509_value(parts.chain, 0), parts.key) !=
	    1)
		return error_set(err, -EINVAL,
				 "%s/tls.key: not the key of tls.crt", where);
	r = verify(&parts, where, now, err);
	if (r == 0)
		describe(id, &parts);
	return r;
}

/* ---- identities ---- */

bool tls_identity_is_there(const struct tls_identity *id)
{
	return id->key != NULL;
}

void tls_identity_fini(struct tls_identity *id)
{
	free(id->ca);
	free(id->cert);
	secret_free(id->key);
	*id = (struct tls_identity){0};
}

int tls_identity_set(struct tls_identity *id, const char *ca, const char *cert,
		     const char *key, const char *where, time_t now,
		     struct error *err)
{
	int r;

	*id = (struct tls_identity){
		.ca = strdup(ca), .cert = strdup(cert), .key = strdup(key)};
	r = id->ca && id->cert && id->key
		    ? check(id, where, now, err)
		    : error_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		tls_identity_fini(id);
	return r;
}

int tls_identity_serves(const struct tls_identity *id, const char *name,
			const char *where, struct error *err)
{
	CLEANUP(parts_fini)
	struct parts parts = {.chain = parse_certificates(id->cert)};

	if (parts.chain &&
	    X509_check_host(sk_X509_value(parts.chain, 0), name, 0,
			    X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) == 1)
		return 0;
	return error_set(err, -EINVAL,
			 "%s/tls.crt: it is of '%s' and not for a server "
			 "called %s, which the others look for",
			 where, id->name, name);
}
