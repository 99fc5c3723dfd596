/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int kube_create(struct kube **out, struct loop *loop,
		const struct kube_config *config, struct error *err)
{
	CLEANUP(kube_destroy) struct kube *kube = calloc(1, sizeof(*kube));
	int r;

	if (!kube)
		return error_set(err, -ENOMEM, "out of memory");
	kube->loop = loop;
	kube->config = config;
	list_init(&kube->calls);
	list_init(&kube->watches);
	kube_access_init(kube);
	r = http_create(&kube->http, loop, err);
	if (r < 0)
		return r;
	*out = STEAL(kube);
	return 0;
}

struct kube *kube_destroy(struct kube *kube)
{
	if (!kube)
		return NULL;
	assert(list_is_empty(&kube->watches));
	kube_calls_cancel(kube);
	kube_access_fini(kube);
	http_destroy(kube->http);
	free(kube);
	return NULL;
}
