/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Files of kubectl
 *
 * Of several files the first that has a context, cluster or user of a name
 * counts, as for kubectl; names of files are relative to the file that has
 * them.  An entry that we do not support is refused, not passed over: a user
 * must not reach another cluster, or as another user, than the file says.
 */

#include "base/secret.h"
#include "kube/internal.h"
#include "kube/yaml.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct source {
	const char *path; /* borrowed */
	cJSON *tree;
};

struct sources {
	struct source *at;
	size_t n;
	struct error *err;
};

/* An entry of a list, and where it was found. */
struct entry {
	const char *path;
	const char *kind, *name; /* "cluster", "heat" */
	const cJSON *map;        /* NULL: there is none */
	struct error *err;
};

static int refuse_key(const struct entry *entry, const char *key,
		      const char *text)
{
	return error_set(entry->err, -EINVAL, "%s: %s %s: %s: %s", entry->path,
			 entry->kind, entry->name, key, text);
}

static int out_of_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "out of memory");
}

/* ---- members of an entry ---- */

/* Borrowed; NULL if it is not there, or empty. */
static int text_of(const struct entry *entry, const char *key, const char **out)
{
	const cJSON *at = cJSON_GetObjectItemCaseSensitive(entry->map, key);

	*out = NULL;
	if (!at || cJSON_IsNull(at))
		return 0;
	if (!cJSON_IsString(at))
		return refuse_key(entry, key,
				  "it is not a text; a text, in quotes "
				  "if it looks like a number");
	if (*at->valuestring)
		*out = at->valuestring;
	return 0;
}

static int copy_of(const struct entry *entry, const char *key, char **out)
{
	const char *text;
	int r = text_of(entry, key, &text);

	if (r < 0 || !text)
		return r;
	*out = strdup(text);
	return *out ? 0 : out_of_memory(entry->err);
}

static int flag_of(const struct entry *entry, const char *key, bool *out)
{
	const cJSON *at = cJSON_GetObjectItemCaseSensitive(entry->map, key);

	*out = cJSON_IsTrue(at);
	if (at && !cJSON_IsBool(at) && !cJSON_IsNull(at))
		return refuse_key(entry, key, "it is not true or false");
	return 0;
}

/* A name relative to the file that has it; the caller frees it. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *out;

	if (*name == '/' || !slash)
		return strdup(name);
	return asprintf(&out, "%.*s/%s", (int)(slash - path), path, name) < 0
		       ? NULL
		       : out;
}

static int path_of(const struct entry *entry, const char *key, char **out)
{
	const char *name;
	int r = text_of(entry, key, &name);

	if (r < 0 || !name)
		return r;
	*out = beside(entry->path, name);
	return *out ? 0 : out_of_memory(entry->err);
}

/* PEM: as KEY-data in base64, or in the file that KEY names. */
static int pem_of(const struct entry *entry, const char *key, char **out)
{
	CLEANUP(free) char *path = NULL;
	char data_key[64];
	const char *data;
	struct error why;
	int r;

	snprintf(data_key, sizeof(data_key), "%s-data", key);
	r = text_of(entry, data_key, &data);
	if (r < 0)
		return r;
	if (data) {
		r = kube_decode(out, data, &why);
		return r < 0 ? refuse_key(entry, data_key, why.text) : 0;
	}
	r = path_of(entry, key, &path);
	if (r < 0 || !path)
		return r;
	r = kube_read_file(out, path, KUBE_FILE_MAX, &why);
	return r < 0 ? refuse_key(entry, key, why.text) : 0;
}

struct refused {
	const char *key, *text;
};

static int refuse_any(const struct entry *entry, const struct refused *refused)
{
	for (; refused->key; refused++) {
		const cJSON *at = cJSON_GetObjectItemCaseSensitive(
			entry->map, refused->key);

		if (at && !cJSON_IsNull(at) && !cJSON_IsFalse(at) &&
		    !(cJSON_IsString(at) && !*at->valuestring))
			return refuse_key(entry, refused->key, refused->text);
	}
	return 0;
}

/* ---- clusters ---- */

static int check_server(const struct entry *entry, const char *server)
{
	bool web = strncmp(server, "https://", 8) == 0 ||
		   strncmp(server, "http://", 7) == 0;
	const char *rest = web ? strstr(server, "//") + 2 : "";

	if (!*rest || *rest == '/')
		return refuse_key(entry, "server",
				  "it is not https://HOST:PORT");
	for (; *rest; rest++)
		if (*rest <= ' ' || *rest > '~' || strchr("@?#\"\\<>", *rest))
			return refuse_key(entry, "server",
					  "it has signs that are not of "
					  "https://HOST:PORT/PATH");
	return 0;
}

static int read_cluster(struct kube_config *config, const struct entry *entry)
{
	static const struct refused refused[] = {
		{"proxy-url",
		 "proxies are not supported; a server that can be reached "
		 "without one"},
		{0},
	};
	size_t n;
	int r = refuse_any(entry, refused);

	if (r == 0)
		r = copy_of(entry, "server", &config->server);
	if (r < 0)
		return r;
	if (!config->server)
		return refuse_key(entry, "server",
				  "it is missing; https://HOST:PORT");
	r = check_server(entry, config->server);
	if (r == 0)
		r = pem_of(entry, "certificate-authority", &config->ca);
	if (r == 0)
		r = copy_of(entry, "tls-server-name", &config->tls_name);
	if (r == 0)
		r = flag_of(entry, "insecure-skip-tls-verify",
			    &config->unverified);
	if (r < 0)
		return r;
	if (config->unverified && config->ca)
		return refuse_key(
			entry, "insecure-skip-tls-verify",
			"there is a certificate-authority too; one of "
			"the two");
	n = strlen(config->server);
	while (config->server[n - 1] == '/')
		config->server[--n] = '\0';
	return 0;
}

/* ---- users ---- */

static int check_env(const struct entry *entry, const cJSON *env)
{
	const cJSON *at;

	cJSON_ArrayForEach(at, env)
	{
		const char *name = kube_text(at, "name");

		if (!name || !*name || strchr(name, '=') ||
		    !kube_text(at, "value"))
			return refuse_key(entry, "env",
					  "an entry is not a name and a value");
	}
	return 0;
}

static int check_args(const struct entry *entry, const cJSON *args)
{
	const cJSON *at;

	cJSON_ArrayForEach(at, args)
	{
		if (!cJSON_IsString(at))
			return refuse_key(entry, "args", "one is not a text");
	}
	return 0;
}

/* A list, copied; NULL stays NULL. */
static int list_of(const struct entry *entry, const char *key, cJSON **out)
{
	const cJSON *at = cJSON_GetObjectItemCaseSensitive(entry->map, key);

	if (!at || cJSON_IsNull(at))
		return 0;
	if (!cJSON_IsArray(at))
		return refuse_key(entry, key, "it is not a list");
	*out = cJSON_Duplicate(at, true);
	return *out ? 0 : out_of_memory(entry->err);
}

static int check_plugin(const struct entry *entry,
			const struct kube_plugin_config *plugin)
{
	const char *mode = kube_text(entry->map, "interactiveMode");

	if (!plugin->command)
		return refuse_key(entry, "command", "it is missing; a program");
	if (!plugin->version ||
	    (strcmp(plugin->version, "client.authentication.k8s.io/v1") != 0 &&
	     strcmp(plugin->version, "client.authentication.k8s.io/v1beta1") !=
		     0))
		return refuse_key(
			entry, "apiVersion",
			"it is not client.authentication.k8s.io/v1 or "
			"v1beta1");
	if (mode && strcmp(mode, "Always") == 0)
		return refuse_key(
			entry, "interactiveMode",
			"Always needs a terminal; Never or IfAvailable");
	return 0;
}

static int read_plugin(struct kube_plugin_config *plugin,
		       const struct entry *user)
{
	const struct entry entry = {
		.path = user->path,
		.kind = "exec of user",
		.name = user->name,
		.map = cJSON_GetObjectItemCaseSensitive(user->map, "exec"),
		.err = user->err,
	};
	const char *command;
	int r;

	if (!entry.map || cJSON_IsNull(entry.map))
		return 0;
	r = text_of(&entry, "command", &command);
	/* a bare name is looked up in PATH, as kubectl does */
	if (r == 0 && command)
		r = strchr(command, '/')
			    ? path_of(&entry, "command", &plugin->command)
			    : copy_of(&entry, "command", &plugin->command);
	if (r == 0)
		r = copy_of(&entry, "apiVersion", &plugin->version);
	if (r == 0)
		r = copy_of(&entry, "installHint", &plugin->hint);
	if (r == 0)
		r = flag_of(&entry, "provideClusterInfo", &plugin->cluster);
	if (r == 0)
		r = list_of(&entry, "args", &plugin->args);
	if (r == 0)
		r = check_args(&entry, plugin->args);
	if (r == 0)
		r = list_of(&entry, "env", &plugin->env);
	if (r == 0)
		r = check_env(&entry, plugin->env);
	return r == 0 ? check_plugin(&entry, plugin) : r;
}

static int check_user(const struct kube_config *config,
		      const struct entry *entry)
{
	bool known = config->cert || config->token || config->token_file ||
		     config->plugin.command;

	if (config->plugin.command && (config->token || config->token_file))
		return refuse_key(entry, "exec",
				  "there is a token too; one of the two");
	if (!config->cert != !config->key)
		return refuse_key(entry,
				  config->cert ? "client-key"
					       : "client-certificate",
				  "it is missing; both or none");
	if (config->token)
		for (const char *at = config->token; *at; at++)
			if (*at <= ' ' || *at > '~')
				return refuse_key(
					entry, "token",
					"it has signs that no token has");
	if (known && strncmp(config->server, "http://", 7) == 0)
		return error_set(entry->err, -EINVAL,
				 "%s: user %s has credentials, which would go "
				 "unencrypted to %s; a server with https://",
				 entry->path, entry->name, config->server);
	return 0;
}

static int read_user(struct kube_config *config, const struct entry *entry)
{
	static const char gone[] = "Kubernetes has it no more; a token, "
				   "certificates or exec";
	static const char other[] = "acting as somebody else is not supported; "
				    "a user of one's own";
	static const struct refused refused[] = {
		{"auth-provider", gone},  {"username", gone},
		{"password", gone},       {"as", other},
		{"as-uid", other},        {"as-groups", other},
		{"as-user-extra", other}, {0},
	};
	int r = refuse_any(entry, refused);

	if (r == 0)
		r = pem_of(entry, "client-certificate", &config->cert);
	if (r == 0)
		r = pem_of(entry, "client-key", &config->key);
	if (r == 0)
		r = copy_of(entry, "token", &config->token);
	if (r == 0)
		r = path_of(entry, "tokenFile", &config->token_file);
	if (r == 0)
		r = read_plugin(&config->plugin, entry);
	return r == 0 ? check_user(config, entry) : r;
}

/* ---- files ---- */

/* The entry of that name in list ("clusters"), whose content is kind. */
static int find(const struct sources *sources, const char *list,
		const char *kind, const char *name, struct entry *out)
{
	*out = (struct entry){.path = sources->at[0].path,
			      .kind = kind,
			      .name = name,
			      .err = sources->err};
	for (size_t i = 0; i < sources->n; i++) {
		const cJSON *at, *all = cJSON_GetObjectItemCaseSensitive(
					 sources->at[i].tree, list);

		cJSON_ArrayForEach(at, all)
		{
			const char *is = kube_text(at, "name");

			if (!is || strcmp(is, name) != 0)
				continue;
			out->path = sources->at[i].path;
			out->map = cJSON_GetObjectItemCaseSensitive(at, kind);
			if (!cJSON_IsObject(out->map))
				return refuse_key(out, kind, "it is missing");
			return 0;
		}
	}
	return error_set(sources->err, -EINVAL,
			 "%s%s: there is no %s of the name '%s'", out->path,
			 sources->n > 1 ? " and others" : "", kind, name);
}

static int choose(const struct sources *sources, const char *wanted,
		  const char **name)
{
	*name = wanted;
	for (size_t i = 0; i < sources->n && !*name; i++) {
		const char *current =
			kube_text(sources->at[i].tree, "current-context");

		if (current && *current)
			*name = current;
	}
	return *name ? 0
		     : error_set(sources->err, -EINVAL,
				 "%s: it has no current-context; --context "
				 "NAME, or kubectl config use-context",
				 sources->at[0].path);
}

static int read_context(struct kube_config *config,
			const struct sources *sources, const char *wanted)
{
	const char *name, *cluster, *user;
	struct entry context, entry;
	int r = choose(sources, wanted, &name);

	if (r == 0)
		r = find(sources, "contexts", "context", name, &context);
	if (r == 0 && asprintf(&config->origin, "%s, context %s", context.path,
			       name) < 0) {
		config->origin = NULL;
		r = out_of_memory(sources->err);
	}
	if (r == 0)
		r = copy_of(&context, "namespace", &config->namespace);
	if (r == 0)
		r = text_of(&context, "cluster", &cluster);
	if (r == 0)
		r = text_of(&context, "user", &user);
	if (r == 0 && !cluster)
		r = refuse_key(&context, "cluster", "it is missing");
	if (r == 0)
		r = find(sources, "clusters", "cluster", cluster, &entry);
	if (r == 0)
		r = read_cluster(config, &entry);
	if (r < 0 || !user)
		return r;
	r = find(sources, "users", "user", user, &entry);
	return r == 0 ? read_user(config, &entry) : r;
}

static int read_source(struct source *source, const char *path,
		       struct error *err)
{
	char *text;
	int r = kube_read_file(&text, path, KUBE_YAML_BYTES_MAX, err);

	if (r < 0)
		return r;
	source->path = path;
	r = kube_yaml_parse(&source->tree, path, text, strlen(text), err);
	secret_free(text);
	if (r == 0 && !cJSON_IsObject(source->tree) &&
	    !cJSON_IsNull(source->tree))
		return error_set(err, -EINVAL,
				 "%s is not a configuration of kubectl; "
				 "'kubectl config view --raw' prints one",
				 path);
	return r;
}

int kubeconfig_read(struct kube_config *config, const char *const *paths,
		    size_t n, const char *context, struct error *err)
{
	CLEANUP(free) struct source *all = calloc(n, sizeof(*all));
	const struct sources sources = {all, n, err};
	int r = 0;

	if (!all)
		return out_of_memory(err);
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_source(&all[i], paths[i], err);
	if (r == 0)
		r = read_context(config, &sources, context);
	for (size_t i = 0; i < n; i++)
		cJSON_Delete(all[i].tree);
	return r;
}
