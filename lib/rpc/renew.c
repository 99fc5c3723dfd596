/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/renew.h"

#include "base/cleanup.h"

#include <string.h>

/* Remembers the identity.  If memory is exhausted the next look hands the same
 * one on again, which does no harm. */
static void note(struct renew *renew, const struct tls_identity *identity)
{
	free(renew->ca);
	free(renew->cert);
	renew->ca = strdup(identity->ca);
	renew->cert = strdup(identity->cert);
}

static bool is_noted(const struct renew *renew,
		     const struct tls_identity *identity)
{
	return renew->ca && renew->cert &&
	       strcmp(renew->ca, identity->ca) == 0 &&
	       strcmp(renew->cert, identity->cert) == 0;
}

void renew_now(struct renew *renew)
{
	CLEANUP(tls_identity_fini) struct tls_identity found = {0};
	struct error err = {""};

	if (tls_identity_read(&found, renew->folder, &err) == 0) {
		renew->fault.text[0] = '\0';
		if (is_noted(renew, &found))
			return;
		note(renew, &found);
		renew->fn(renew->user, &found, NULL);
	} else if (strcmp(err.text, renew->fault.text) != 0) {
		renew->fault = err;
		renew->fn(renew->user, NULL, &err);
	}
}

/* To read is to parse and to verify, and the ranks wait for that. */
static void look(void *user)
{
	struct renew *renew = user;
	int64_t changed = tls_identity_changed(renew->folder);

	loop_timer_set(renew->loop, &renew->timer, RENEW_EACH, look, renew);
	if (changed != 0 && changed == renew->changed &&
	    ++renew->passed < RENEW_ANYWAY)
		return;
	renew->changed = changed;
	renew->passed = 0;
	renew_now(renew);
}

void renew_begin(struct renew *renew, struct loop *loop, const char *folder,
		 const struct tls_identity *in_use, renew_f fn, void *user)
{
	if (strcmp(folder, "-") == 0)
		return;
	renew->loop = loop;
	renew->folder = folder;
	renew->fn = fn;
	renew->user = user;
	note(renew, in_use);
	loop_timer_set(loop, &renew->timer, RENEW_EACH, look, renew);
}

void renew_end(struct renew *renew)
{
	loop_timer_clear(&renew->timer);
	free(renew->ca);
	free(renew->cert);
	renew->ca = renew->cert = NULL;
}
