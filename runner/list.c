/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/list.h"

#include "runner/find.h"
#include "runner/kube/list.h"
#include "runner/state_dir.h"

#include <dirent.h>
#include <errno.h>

#define ANSWER SECONDS(2)

static void ask_coordinator(struct job_list *list, const struct lookup *lookup,
			    const char *name)
{
	struct job_entry *entry = job_list_add(list);

	if (entry && job_find(&entry->client, lookup, name, NULL) == 0 &&
	    client_probe(entry->client.address) == 0)
		job_list_ask(entry);
}

static int ask_all(struct job_list *list, const struct lookup *lookup,
		   const char *root, struct error *err)
{
	DIR *folder = opendir(root);

	/* no folder: no job ever ran */
	if (!folder)
		return errno == ENOENT ? 0 : error_errno(err, "%s", root);
	for (struct dirent *at = readdir(folder); at; at = readdir(folder))
		if (state_dir_is_name(at->d_name))
			ask_coordinator(list, lookup, at->d_name);
	closedir(folder);
	return job_list_wait(list);
}

int list_jobs(struct job_list *list, const struct lookup *lookup,
	      struct error *err)
{
	struct state_dir root;
	int r;

	if (lookup->on)
		return kube_list_jobs(list, lookup, err);
	r = state_dir_root(&root, lookup, err);
	if (r == 0)
		r = job_list_init(list, ANSWER, err);
	return r < 0 ? r : ask_all(list, lookup, root.path, err);
}
