/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "base/list.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHECKPOINT_WORD "{checkpoint}"

static const struct adapter *const adapters[] = {
	&adapter_cm1,    &adapter_generic, &adapter_gromacs,
	&adapter_lammps, &adapter_parint,  &adapter_supersteps,
};

/* Added while the program begins, by its only thread; never taken away. */
static const struct adapter *added[ADAPTERS_ADDED_MAX];
static size_t n_added;

/* NULL behind the last one. */
static const struct adapter *adapter_at(size_t i)
{
	if (i < LENGTH(adapters))
		return adapters[i];
	i -= LENGTH(adapters);
	return i < n_added ? added[i] : NULL;
}

const struct adapter *adapter_find(const char *name)
{
	const struct adapter *at;

	for (size_t i = 0; (at = adapter_at(i)); i++)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}

int adapter_may_add(const struct adapter *adapter, struct error *err)
{
	char names[512];

	if (adapter_find(adapter->name))
		return error_set(err, -EEXIST,
				 "the name '%s' is taken; another one than %s",
				 adapter->name,
				 adapter_names(names, sizeof(names)));
	if (n_added == ADAPTERS_ADDED_MAX)
		return error_set(err, -E2BIG, "at most %d adapters are added",
				 ADAPTERS_ADDED_MAX);
	return 0;
}

int adapter_add(const struct adapter *adapter, struct error *err)
{
	int r = adapter_may_add(adapter, err);

	if (r == 0)
		added[n_added++] = adapter;
	return r;
}

const char *adapter_names(char *text, size_t n)
{
	const struct adapter *adapter;

	text[0] = '\0';
	for (size_t i = 0; (adapter = adapter_at(i)); i++)
		text_list_add(text, n, adapter->name);
	return text;
}

const char *adapter_setting(const struct adapter_app *app, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; app->settings && app->settings[i]; i++)
		if (strncmp(app->settings[i], key, n) == 0 &&
		    app->settings[i][n] == '=')
			return app->settings[i] + n + 1;
	return NULL;
}

static bool is_listed(const char *const *keys, const char *setting)
{
	size_t n = strcspn(setting, "=");

	for (; *keys; keys++)
		if (strlen(*keys) == n && strncmp(*keys, setting, n) == 0)
			return true;
	return false;
}

int adapter_check_settings(const struct adapter_app *app,
			   const char *const *keys, struct error *err)
{
	char names[256] = "";

	for (size_t i = 0; keys[i]; i++)
		text_list_add(names, sizeof(names), keys[i]);
	for (size_t i = 0; app->settings && app->settings[i]; i++)
		if (!is_listed(keys, app->settings[i]))
			return error_set(err, -EINVAL,
					 "settings: there is no '%.*s'; %s",
					 (int)strcspn(app->settings[i], "="),
					 app->settings[i], names);
	return 0;
}

const char *adapter_replace(const char *arg, const char *checkpoint,
			    char **text, size_t *room)
{
	char *copy = *text;
	size_t at = 0;

	if (!strstr(arg, CHECKPOINT_WORD))
		return arg;
	for (;;) {
		const char *word = strstr(arg, CHECKPOINT_WORD);
		int n = word ? (int)(word - arg) : (int)strlen(arg);

		n = snprintf(copy + at, *room - at, "%.*s%s", n, arg,
			     word ? checkpoint : "");
		if (n < 0 || (size_t)n >= *room - at)
			return NULL;
		at += (size_t)n;
		if (!word)
			break;
		arg = word + strlen(CHECKPOINT_WORD);
	}
	*text += at + 1;
	*room -= at + 1;
	return copy;
}
