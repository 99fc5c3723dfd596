/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Credentials that another program is asked for
 *
 * It runs in a session of its own, gets no input, and has a minute; what it
 * prints is an ExecCredential.  It counts as done when it has ended, even if
 * another process still holds its output.
 */

#include "kube/internal.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>

#define PATIENCE MINUTES(1)

enum {
	TEXT_MAX = 1 << 20,
};

struct kube_plugin {
	struct loop *loop;
	const struct kube_config *config;
	kube_plugin_f fn;
	void *user;
	pid_t pid; /* 0: it runs no more */
	int fd;
	struct loop_fd *watch;
	struct loop_timer late;
	char *text;
	size_t size;
};

DEFINE_CLEANUP(struct kube_plugin, kube_plugin_stop)

struct kube_plugin *kube_plugin_stop(struct kube_plugin *plugin)
{
	if (!plugin)
		return NULL;
	if (plugin->pid > 0) {
		kill(-plugin->pid, SIGKILL);
		loop_child_remove(plugin->loop, plugin->pid);
	}
	loop_timer_clear(&plugin->late);
	loop_fd_remove(plugin->watch);
	if (plugin->fd >= 0)
		close(plugin->fd);
	if (plugin->text)
		explicit_bzero(plugin->text, plugin->size);
	free(plugin->text);
	free(plugin);
	return NULL;
}

/* ---- the end ---- */

static void finish(struct kube_plugin *plugin,
		   struct kube_credential *credential, const char *failure)
{
	const struct kube_plugin_config *config = &plugin->config->plugin;
	kube_plugin_f fn = plugin->fn;
	void *user = plugin->user;
	struct error err;

	error_describe(&err, "exec plugin %s: %s%s%s", config->command,
		       failure ? failure : "", config->hint ? "; " : "",
		       config->hint ? config->hint : "");
	kube_plugin_stop(plugin);
	fn(user, credential, failure ? err.text : NULL);
}

static void on_late(void *user)
{
	finish(user, NULL, "it did not end within a minute, and was killed");
}

/* Reads what is there.  -EFBIG if it is too much. */
static int gather(struct kube_plugin *plugin)
{
	for (;;) {
		ssize_t n = read(plugin->fd, plugin->text + plugin->size,
				 TEXT_MAX - plugin->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 && plugin->size == TEXT_MAX ? -EFBIG : 0;
		plugin->size += (size_t)n;
	}
}

static void on_output(void *user, uint32_t events)
{
	struct kube_plugin *plugin = user;

	if (gather(plugin) < 0)
		finish(plugin, NULL, "it prints more than 1 MiB");
	else if (events & EPOLLHUP)
		plugin->watch = loop_fd_remove(plugin->watch);
}

static void on_end(void *user, pid_t pid, int status)
{
	struct kube_plugin *plugin = user;
	struct kube_credential credential = {0};
	struct error err;
	int r = -ECHILD;

	plugin->pid = 0;
	if (gather(plugin) < 0)
		error_set(&err, r, "it prints more than 1 MiB");
	else if (WIFSIGNALED(status))
		error_set(&err, r, "it was ended by signal %d",
			  WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		error_set(&err, r, "it ended with %d", WEXITSTATUS(status));
	else
		r = kube_credential_read(&credential, plugin->text,
					 plugin->size,
					 plugin->config->plugin.version,
					 time(NULL), loop_now(), &err);
	finish(plugin, r == 0 ? &credential : NULL, r == 0 ? NULL : err.text);
	kube_credential_fini(&credential);
}

/* ---- the beginning ---- */

/* "KUBERNETES_EXEC_INFO={...}", which says what is wanted. */
static char *info_of(const struct kube_config *config)
{
	cJSON *info = cJSON_CreateObject();
	cJSON *spec = cJSON_AddObjectToObject(info, "spec");
	CLEANUP(free)
	char *ca = config->ca ? kube_encode(config->ca) : NULL;
	char *text, *out = NULL;

	cJSON_AddStringToObject(info, "kind", "ExecCredential");
	cJSON_AddStringToObject(info, "apiVersion", config->plugin.version);
	cJSON_AddBoolToObject(spec, "interactive", false);
	if (config->plugin.cluster) {
		cJSON *cluster = cJSON_AddObjectToObject(spec, "cluster");

		cJSON_AddStringToObject(cluster, "server", config->server);
		if (ca)
			cJSON_AddStringToObject(
				cluster, "certificate-authority-data", ca);
		if (config->tls_name)
			cJSON_AddStringToObject(cluster, "tls-server-name",
						config->tls_name);
		if (config->unverified)
			cJSON_AddBoolToObject(cluster,
					      "insecure-skip-tls-verify", true);
	}
	text = cJSON_PrintUnformatted(info);
	if (text && asprintf(&out, "KUBERNETES_EXEC_INFO=%s", text) < 0)
		out = NULL;
	cJSON_free(text);
	cJSON_Delete(info);
	return out;
}

/* What is set for it, above this program's; one free() frees all. */
static char **environment_of(const struct kube_config *config)
{
	const cJSON *env = config->plugin.env, *at;
	size_t n = (size_t)cJSON_GetArraySize(env), k = 0;
	CLEANUP(free) char **entries = calloc(n + 1, sizeof(*entries));
	char **out = NULL;
	bool whole = entries;

	cJSON_ArrayForEach(at, env)
	{
		if (whole &&
		    asprintf(&entries[k], "%s=%s", kube_text(at, "name"),
			     kube_text(at, "value")) < 0)
			whole = false;
		else if (whole)
			k++;
	}
	if (whole && (entries[k] = info_of(config)))
		out = spawn_environment(NULL, (const char *const *)entries,
					++k);
	while (entries && k > 0)
		free(entries[--k]);
	return out;
}

static const char **words_of(const struct kube_plugin_config *config)
{
	size_t k = 1;
	const char **words = calloc(
		(size_t)cJSON_GetArraySize(config->args) + 2, sizeof(*words));
	const cJSON *at;

	if (!words)
		return NULL;
	words[0] = config->command;
	cJSON_ArrayForEach(at, config->args) words[k++] = at->valuestring;
	return words;
}

static int run(struct kube_plugin *plugin, int out, struct error *err)
{
	CLEANUP(free) const char **words = words_of(&plugin->config->plugin);
	CLEANUP(free) char **environment = environment_of(plugin->config);
	const struct spawn what = {
		.argv = words,
		.envp = (const char *const *)environment,
		.in = -1,
		.out = out,
		.err = -1,
		.new_session = true,
		.on_parent_death = SIGKILL,
	};
	int r;

	if (!words || !environment)
		return error_set(err, -ENOMEM, "out of memory");
	r = spawn(&what, &plugin->pid, err);
	if (r < 0)
		plugin->pid = 0;
	if (r < 0 && plugin->config->plugin.hint)
		return error_set(err, r, "cannot run %s: %s; %s", words[0],
				 strerror(-r), plugin->config->plugin.hint);
	return r;
}

static int start_program(struct kube_plugin *plugin, struct error *err)
{
	CLEANUP(close) int out = -1;
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(err, "no pipe");
	plugin->fd = fds[0];
	out = fds[1];
	if (fcntl(plugin->fd, F_SETFL, O_NONBLOCK) < 0)
		return error_errno(err, "no pipe");
	r = loop_fd_add(&plugin->watch, plugin->loop, plugin->fd, EPOLLIN,
			on_output, plugin, err);
	if (r == 0)
		r = run(plugin, out, err);
	return r == 0 ? loop_child_add(plugin->loop, plugin->pid, on_end,
				       plugin, err)
		      : r;
}

int kube_plugin_start(struct kube_plugin **out, struct loop *loop,
		      const struct kube_config *config, kube_plugin_f fn,
		      void *user, struct error *err)
{
	CLEANUP(kube_plugin_stop)
	struct kube_plugin *plugin = calloc(1, sizeof(*plugin));
	int r;

	if (!plugin)
		return error_set(err, -ENOMEM, "out of memory");
	*plugin = (struct kube_plugin){.loop = loop,
				       .config = config,
				       .fn = fn,
				       .user = user,
				       .fd = -1};
	plugin->text = malloc(TEXT_MAX);
	if (!plugin->text)
		return error_set(err, -ENOMEM, "out of memory");
	r = start_program(plugin, err);
	if (r < 0)
		return r;
	loop_timer_set(loop, &plugin->late, PATIENCE, on_late, plugin);
	*out = STEAL(plugin);
	return 0;
}
