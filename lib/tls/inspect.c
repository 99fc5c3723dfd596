/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/inspect.h"

#include "tls/identity.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(const struct tls_inspector *) inspecting;
static int state_index = -1;

static void free_state(void *ssl, void *state, CRYPTO_EX_DATA *of, int index,
		       long arg, void *user)
{
	free(state);
}

static void make_index(void)
{
	state_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_state);
}

void tls_inspect(const struct tls_inspector *inspector)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_index);
	atomic_store(&inspecting, inspector);
}

static void *state_of(SSL *ssl, size_t size)
{
	void *state = SSL_get_ex_data(ssl, state_index);

	if (state)
		return state;
	state = calloc(1, size);
	if (state && SSL_set_ex_data(ssl, state_index, state) == 1)
		return state;
	free(state);
	return NULL;
}

static void find_name(SSL *ssl, char name[TLS_NAME_MAX])
{
	X509 *cert = SSL_get0_peer_certificate(ssl);

	if (!cert ||
	    X509_NAME_get_text_by_NID(X509_get_subject_name(cert),
				      NID_commonName, name, TLS_NAME_MAX) < 0)
		name[0] = '\0';
}

static bool is_refused(SSL *ssl, const uint8_t *bytes, size_t n)
{
	const struct tls_inspector *inspector = atomic_load(&inspecting);
	char name[TLS_NAME_MAX];
	void *state;

	if (!inspector || !SSL_is_server(ssl))
		return false;
	state = state_of(ssl, inspector->state_size);
	find_name(ssl, name);
	return !state || !inspector->take(state, name, bytes, n);
}

int SSL_read(SSL *ssl, void *bytes, int room)
{
	size_t n = 0;

	if (room < 0 || SSL_read_ex(ssl, bytes, (size_t)room, &n) != 1)
		return 0;
	if (!is_refused(ssl, bytes, n))
		return (int)n;
	ERR_raise(ERR_LIB_USER, ERR_R_OPERATION_FAIL);
	return -1;
}
