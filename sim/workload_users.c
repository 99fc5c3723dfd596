/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload_users.h"

#include "base/list.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE_MAX = 1000000 };

struct raw_user {
	char name[WORKLOAD_NAME_MAX + 1];
	unsigned share;
};

/* ---- the table ---- */

/* FNV-1a */
static uint32_t hash(const char *name)
{
	uint32_t hash = 2166136261;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619;
	return hash;
}

/* Where the user's index is, plus 1, or is to be; half of the places are free.
 */
static unsigned *place_of(const struct workload_users *users, const char *name)
{
	size_t mask = 2 * users->room - 1, i = hash(name) & mask;

	while (users->places[i] > 0 &&
	       strcmp(users->at[users->places[i] - 1].name, name) != 0)
		i = (i + 1) & mask;
	return &users->places[i];
}

static int grow(struct workload_users *users)
{
	size_t room = users->room ? 2 * users->room : 16;
	unsigned *places = calloc(2 * room, sizeof(*places));
	void *at = realloc(users->at, room * sizeof(*users->at));

	if (at)
		users->at = at;
	if (!at || !places) {
		free(places);
		return -ENOMEM;
	}
	free(users->places);
	users->places = places;
	users->room = room;
	for (unsigned i = 0; i < users->n; i++)
		*place_of(users, users->at[i].name) = i + 1;
	return 0;
}

int workload_users_add(struct workload_users *users, const char *name,
		       unsigned *index)
{
	unsigned *place;

	if (users->n == users->room && grow(users) < 0)
		return -ENOMEM;
	place = place_of(users, name);
	if (*place == 0) {
		struct workload_user *user = &users->at[users->n];

		if (users->n == WORKLOAD_USERS_MAX)
			return -E2BIG;
		*user = (struct workload_user){.share = 1};
		strncpy(user->name, name, WORKLOAD_NAME_MAX);
		*place = (unsigned)++users->n;
	}
	*index = *place - 1;
	return 0;
}

void workload_users_fini(struct workload_users *users)
{
	free(users->at);
	free(users->places);
}

/* ---- JSON ---- */

static int add(const struct json_reader *reader, const cJSON *item,
	       struct workload_users *users, const char *name, unsigned *index)
{
	int r = workload_users_add(users, name, index);

	if (r == -E2BIG)
		return json_refuse(reader, item, "there are more than %d users",
				   WORKLOAD_USERS_MAX);
	return r < 0 ? error_set(reader->err, r, "out of memory") : 0;
}

int workload_users_find(const struct json_reader *reader, const cJSON *item,
			struct workload *workload, const char *name,
			unsigned *index)
{
	struct workload_users *users = &workload->users;

	if (*name && users->listed && *place_of(users, name) == 0)
		return json_refuse(reader, item, "there is no user named %s",
				   name);
	return add(reader, item, users, name, index);
}

static int read_user(const struct json_reader *reader, const cJSON *item,
		     struct workload_users *users)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, offsetof(struct raw_user, name), 0, 0,
		 true},
		{"share", JSON_COUNT, offsetof(struct raw_user, share), 1,
		 SHARE_MAX, false},
	};
	struct raw_user raw = {.share = 1};
	size_t known = users->n;
	unsigned index;
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r == 0)
		r = add(reader, item, users, raw.name, &index);
	if (r < 0)
		return r;
	if (users->n == known)
		return json_refuse(reader, item, "there are two users named %s",
				   raw.name);
	users->at[index].share = raw.share;
	return 0;
}

int workload_users_read(const struct json_reader *reader, const cJSON *item,
			struct workload *workload)
{
	size_t n;
	int r = json_check_array(reader, item, "users", 1, WORKLOAD_USERS_MAX,
				 &n);

	if (r < 0)
		return r;
	workload->users.listed = true;
	for (const cJSON *at = item->child; at && r == 0; at = at->next)
		r = read_user(reader, at, &workload->users);
	return r;
}
