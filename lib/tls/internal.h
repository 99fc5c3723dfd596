/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TLS_INTERNAL_H
#define TLS_INTERNAL_H

#include <openssl/bio.h>
#include <stddef.h>

static inline void tls_bio_free_at(BIO **bio)
{
	BIO_free(*bio);
}

#endif
