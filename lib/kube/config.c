/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"

#include "base/secret.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

enum { PATHS_MAX = 64 };

struct kube_config *kube_config_destroy(struct kube_config *config)
{
	if (!config)
		return NULL;
	free(config->origin);
	free(config->server);
	free(config->namespace);
	free(config->ca);
	free(config->cert);
	secret_free(config->key);
	free(config->tls_name);
	secret_free(config->token);
	free(config->token_file);
	free(config->plugin.command);
	cJSON_Delete(config->plugin.args);
	cJSON_Delete(config->plugin.env);
	free(config->plugin.version);
	free(config->plugin.hint);
	free(config);
	return NULL;
}

const char *kube_config_namespace(const struct kube_config *config)
{
	return config->namespace ? config->namespace : "default";
}

/* ---- a pod ---- */

static int pod_server(struct kube_config *config, const char *host,
		      const char *port, struct error *err)
{
	const char *form =
		strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s";

	if (!*host && !*port)
		return error_set(
			err, -EINVAL,
			"KUBERNETES_SERVICE_HOST and "
			"KUBERNETES_SERVICE_PORT are not set; in a pod "
			"they are");
	if (strspn(port, "0123456789") != strlen(port) || !*port)
		return error_set(err, -EINVAL,
				 "KUBERNETES_SERVICE_PORT is '%s'; a number",
				 port);
	if (strspn(host, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
			 "RSTUVWXYZ.:-") != strlen(host) ||
	    !*host)
		return error_set(err, -EINVAL,
				 "KUBERNETES_SERVICE_HOST is '%s'; an address "
				 "or a name",
				 host);
	return asprintf(&config->server, form, host, port) < 0
		       ? error_set(err, -ENOMEM, "out of memory")
		       : 0;
}

/* Namespace and CA; the token is read when it is used, for it is replaced. */
static int pod_files(struct kube_config *config, const char *folder,
		     struct error *err)
{
	char path[PATH_MAX];
	int r;

	if (asprintf(&config->token_file, "%s/token", folder) < 0) {
		config->token_file = NULL;
		return error_set(err, -ENOMEM, "out of memory");
	}
	snprintf(path, sizeof(path), "%s/ca.crt", folder);
	r = kube_read_file(&config->ca, path, KUBE_FILE_MAX, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/namespace", folder);
	return kube_read_token(&config->namespace, path, err);
}

int kube_config_pod(struct kube_config *config, const char *host,
		    const char *port, const char *folder, struct error *err)
{
	int r;

	config->origin = strdup("the service account of this pod");
	if (!config->origin)
		return error_set(err, -ENOMEM, "out of memory");
	/* no proxy knows the addresses within a cluster */
	config->direct = true;
	r = pod_server(config, host ? host : "", port ? port : "", err);
	if (r == 0)
		r = pod_files(config, folder, err);
	return r < 0 ? error_wrap(err, r, "%s", config->origin) : 0;
}

/* ---- which ---- */

static int read_listed(struct kube_config *config, const char *list,
		       const char *context, struct error *err)
{
	CLEANUP(free) char *copy = strdup(list);
	const char *paths[PATHS_MAX];
	size_t n = 0;
	char *rest = copy, *path;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	while ((path = strsep(&rest, ":"))) {
		/* kubectl passes over those that are not there yet, too */
		if (!*path || (access(path, F_OK) < 0 && errno == ENOENT))
			continue;
		if (n == PATHS_MAX)
			return error_set(err, -EINVAL,
					 "KUBECONFIG names more than %d files",
					 PATHS_MAX);
		paths[n++] = path;
	}
	if (n == 0)
		return error_set(err, -ENOENT,
				 "KUBECONFIG is '%s', and there is no such "
				 "file",
				 list);
	return kubeconfig_read(config, paths, n, context, err);
}

static int read_home(struct kube_config *config, const char *context,
		     struct error *err)
{
	const char *home = getenv("HOME");
	CLEANUP(free) char *path = NULL;
	const char *paths[1];

	if (asprintf(&path, "%s/.kube/config", home ? home : "") < 0) {
		path = NULL;
		return error_set(err, -ENOMEM, "out of memory");
	}
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return error_set(err, -ENOENT,
				 "no cluster is known: KUBECONFIG is not set, "
				 "this is no pod with a service account, and "
				 "there is no %s; --kubeconfig FILE names one",
				 path);
	paths[0] = path;
	return kubeconfig_read(config, paths, 1, context, err);
}

static int find(struct kube_config *config, const char *file,
		const char *context, struct error *err)
{
	const char *list = getenv("KUBECONFIG");

	if (file)
		return kubeconfig_read(config, &file, 1, context, err);
	if (list && *list)
		return read_listed(config, list, context, err);
	/* a pod has no contexts, so a context that is named is in a file */
	if (!context && access(POD_FOLDER "/token", F_OK) == 0)
		return kube_config_pod(
			config, getenv("KUBERNETES_SERVICE_HOST"),
			getenv("KUBERNETES_SERVICE_PORT"), POD_FOLDER, err);
	return read_home(config, context, err);
}

int kube_config_load(struct kube_config **out, const char *file,
		     const char *context, struct error *err)
{
	CLEANUP(kube_config_destroy)
	struct kube_config *config = calloc(1, sizeof(*config));
	int r;

	if (!config)
		return error_set(err, -ENOMEM, "out of memory");
	r = find(config, file, context, err);
	if (r < 0)
		return r;
	*out = STEAL(config);
	return 0;
}
