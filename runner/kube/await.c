/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/await.h"

void kube_on_answer(void *user, const struct kube_answer *answer)
{
	struct kube_outcome *outcome = user;

	outcome->r = answer->r;
	if (answer->r < 0)
		error_set(outcome->err, answer->r, "%s", answer->text);
	else
		outcome->object = cJSON_Duplicate(answer->object, true);
	loop_stop(outcome->loop, 0);
}

int kube_await(struct kube_outcome *outcome, int begun)
{
	int r = begun;

	if (r == 0)
		r = loop_run(outcome->loop);
	return r < 0 ? r : outcome->r;
}
