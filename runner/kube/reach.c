/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/internal.h"

#include "base/text.h"
#include "base/tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

/* A label of DNS, as names of namespaces are (RFC 1123). */
static bool is_label(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n <= 63 && !text[n] && text[0] != '-' &&
	       text[n - 1] != '-';
}

static int set_namespace(struct reach *reach, const struct lookup *lookup,
			 struct error *err)
{
	const char *namespace = lookup->namespace
					? lookup->namespace
					: kube_config_namespace(reach->config);

	if (!is_label(namespace))
		return error_set(err, -EINVAL,
				 "'%s' is no name of a namespace: 1 to 63 of "
				 "a-z, 0-9 and -",
				 text_safe(namespace).s);
	snprintf(reach->namespace, sizeof(reach->namespace), "%s", namespace);
	return 0;
}

/* The words of the command line that say which cluster it is. */
static int set_words(struct reach *reach, const struct lookup *lookup,
		     struct error *err)
{
	const char *const words[][2] = {
		{" -n ", lookup->namespace},
		{" --context ", lookup->context},
		{" --kubeconfig ", lookup->kubeconfig},
	};
	size_t n = 1;
	char *end;

	for (size_t i = 0; i < LENGTH(words); i++)
		if (words[i][1])
			n += strlen(words[i][0]) + strlen(words[i][1]);
	end = reach->words = calloc(1, n);
	if (!end)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < LENGTH(words); i++)
		if (words[i][1])
			end = stpcpy(stpcpy(end, words[i][0]), words[i][1]);
	return 0;
}

/* ---- the folder ---- */

/* A program that was killed may have left it. */
static int make_own_folder(struct reach *reach, const char *path,
			   struct error *err)
{
	int r = tree_remove_path(path, err);

	if (r < 0)
		return r;
	if (mkdir(path, 0700) < 0)
		return error_errno(err, "%s", path);
	snprintf(reach->folder, sizeof(reach->folder), "%s", path);
	return 0;
}

int reach_make_folder(struct reach *reach, struct error *err)
{
	const struct lookup *lookup = reach->lookup;
	/* the longest name in it, and the zero at its end */
	const int room = (int)sizeof(((struct sockaddr_un *)0)->sun_path) -
			 (int)sizeof("/4294967295");
	const char *own = lookup->sockets;
	const char *in[] = {lookup->runtime_dir, lookup->tmpdir, "/tmp"};

	if (reach->folder[0])
		return 0;
	if (own && strlen(own) + sizeof("-XXXXXX") <= (size_t)room)
		return make_own_folder(reach, own, err);
	for (size_t i = 0; i < LENGTH(in); i++) {
		if (!in[i] || in[i][0] != '/' ||
		    snprintf(reach->folder, sizeof(reach->folder),
			     "%s/bellows-XXXXXX", in[i]) > room)
			continue;
		if (mkdtemp(reach->folder))
			return 0;
		error_errno(err, "no folder for sockets in %s", in[i]);
		reach->folder[0] = '\0';
	}
	return -EACCES;
}

/* Its name alone: the program is about to end. */
static void remove_socket(const struct reach_socket *socket)
{
	if (socket->address[0])
		unlink(socket->address + strlen("unix:"));
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct reach *reach = user;
	sigset_t only;

	for (struct list *at = reach->sockets.next; at != &reach->sockets;
	     at = at->next)
		remove_socket(CONTAINER(at, struct reach_socket, link));
	rmdir(reach->folder);
	signal(signo, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static int handle_signals(struct reach *reach, struct error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(signals); i++)
		if (!loop_signal_is_ignored(signals[i]))
			r = loop_signal_add(reach->loop, signals[i], on_signal,
					    reach, err);
	return r;
}

/* ---- all of it ---- */

int reach_create(struct reach **out, struct loop *loop,
		 const struct lookup *lookup, struct error *err)
{
	CLEANUP(reach_destroy) struct reach *reach = calloc(1, sizeof(*reach));
	int r;

	if (!reach)
		return error_set(err, -ENOMEM, "out of memory");
	list_init(&reach->sockets);
	reach->loop = loop;
	reach->lookup = lookup;
	r = kube_config_load(&reach->config, lookup->kubeconfig,
			     lookup->context, err);
	if (r == 0)
		r = set_namespace(reach, lookup, err);
	if (r == 0)
		r = set_words(reach, lookup, err);
	if (r == 0)
		r = kube_create(&reach->kube, loop, reach->config, err);
	if (r == 0)
		r = handle_signals(reach, err);
	if (r < 0)
		return r;
	*out = STEAL(reach);
	return 0;
}

struct reach *reach_destroy(struct reach *reach)
{
	if (!reach)
		return NULL;
	kube_destroy(reach->kube);
	kube_config_destroy(reach->config);
	if (reach->folder[0])
		rmdir(reach->folder);
	free(reach->words);
	free(reach);
	return NULL;
}

struct kube *reach_kube(const struct reach *reach)
{
	return reach->kube;
}

const char *reach_namespace(const struct reach *reach)
{
	return reach->namespace;
}

const char *reach_words(const struct reach *reach)
{
	return reach->words;
}
