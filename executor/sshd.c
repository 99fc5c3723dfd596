/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/sshd.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/program.h"
#include "executor/sshd_files.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FALLS_MAX = 5, LINE_MAX_SSHD = 512 };

#define PAUSE   MSEC(200)   /* before it is started again */
#define UPRIGHT SECONDS(30) /* so long, and falls are forgotten */

#define PRIVSEP "/run/sshd" /* as Debian's sshd is built */

struct sshd {
	struct loop *loop;
	char dir[4200], bindir[4096], login[64], program[4096];
	char address[128]; /* "": this machine only */
	char listen[128];  /* that can be bound */
	unsigned port;
	char *public_key;
	char **env;
	struct keypair host;
	pid_t pid; /* 0: does not run */
	int fd;    /* what it says; -1: none */
	struct loop_fd *watch;
	char line[LINE_MAX_SSHD], last[LINE_MAX_SSHD];
	size_t n;
	bool listening;
	unsigned falls;
	msec_t started;
	struct loop_timer again;
	char failure[sizeof(struct error)]; /* "": none */
	const struct sshd_events *events;
	void *user;
};

DEFINE_CLEANUP(struct sshd, sshd_destroy)

/* ---- what it needs ---- */

static int find_user(struct sshd *sshd, struct error *err)
{
	const struct passwd *entry = getpwuid(getuid());

	if (!entry)
		return error_set(err, -ENOENT,
				 "user %u has no entry in the user database, "
				 "and sshd lets in only users that have one",
				 (unsigned)getuid());
	snprintf(sshd->login, sizeof(sshd->login), "%s", entry->pw_name);
	return 0;
}

/* It is in no ordinary user's PATH. */
static int find_program(struct sshd *sshd, struct error *err)
{
	static const char *const paths[] = {
		"/usr/sbin/sshd",
		"/usr/local/sbin/sshd",
		"/sbin/sshd",
	};

	for (size_t i = 0; i < LENGTH(paths); i++) {
		if (access(paths[i], X_OK) < 0)
			continue;
		strcpy(sshd->program, paths[i]);
		return 0;
	}
	return program_find("sshd", sshd->program, sizeof(sshd->program), err);
}

/* sshd of root wants an empty directory, which a service would have made. */
static int make_privsep(struct error *err)
{
	struct stat st;

	if (geteuid() != 0 || stat(PRIVSEP, &st) == 0 ||
	    mkdir(PRIVSEP, 0755) == 0)
		return 0;
	return error_errno(err, "sshd needs %s, which cannot be made", PRIVSEP);
}

/* The port may be taken by another before sshd has it: then sshd ends, and
 * another port is tried. */
static int bind_to(struct sshd *sshd, const char *address, struct error *err)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	struct addrinfo *info;
	char port[16] = "";
	CLEANUP(close) int fd = -1;
	int r;

	if (getaddrinfo(address, "0", &hints, &info) != 0)
		return error_set(err, -EINVAL,
				 "--address: '%s' is not an address of IPv4 or "
				 "IPv6; the ssh launcher looks up no names",
				 address);
	fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	r = fd < 0 ? -1 : bind(fd, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(info);
	if (r < 0 || getsockname(fd, (struct sockaddr *)&at, &n) < 0)
		return error_errno(err, "cannot listen on %s", address);
	getnameinfo((struct sockaddr *)&at, n, NULL, 0, port, sizeof(port),
		    NI_NUMERICSERV);
	sshd->port = (unsigned)atoi(port);
	snprintf(sshd->listen, sizeof(sshd->listen), "%s", address);
	return 0;
}

/* An address that others reach this host by need not be one that it has. */
static int choose_port(struct sshd *sshd, struct error *err)
{
	const char *address = *sshd->address ? sshd->address : "127.0.0.1";
	int r = bind_to(sshd, address, err);

	if (r == -EADDRNOTAVAIL)
		r = bind_to(sshd, strchr(address, ':') ? "::" : "0.0.0.0", err);
	return r;
}

/* ---- its life ---- */

static void start(void *user);

static void fail(struct sshd *sshd, const char *why)
{
	snprintf(sshd->failure, sizeof(sshd->failure), "%s", why);
	sshd->events->failed(sshd->user, sshd->failure);
}

static void stop_reading(struct sshd *sshd)
{
	sshd->watch = loop_fd_remove(sshd->watch);
	if (sshd->fd >= 0)
		close(sshd->fd);
	sshd->fd = -1;
	sshd->n = 0;
}

/* "ssh-ed25519 AAAA...", without the name. */
static void host_key(const struct sshd *sshd, char key[KEYPAIR_PUBLIC_MAX])
{
	char *blank;

	snprintf(key, KEYPAIR_PUBLIC_MAX, "%s", sshd->host.public_key);
	blank = strchr(key, ' ');
	blank = blank ? strchr(blank + 1, ' ') : NULL;
	if (blank)
		*blank = '\0';
}

static void on_listening(struct sshd *sshd)
{
	char key[KEYPAIR_PUBLIC_MAX];

	sshd->listening = true;
	host_key(sshd, key);
	log_info("sshd listens on %s port %u", sshd->listen, sshd->port);
	sshd->events->listening(sshd->user, sshd->login, sshd->port, key);
}

/* Whether sshd has refused the user of this job, whose account may be locked:
 * then no login will work. */
static bool is_refusal(const struct sshd *sshd)
{
	char text[128];

	snprintf(text, sizeof(text), "User %s not allowed", sshd->login);
	return strncmp(sshd->last, text, strlen(text)) == 0;
}

static void on_line(struct sshd *sshd)
{
	sshd->line[sshd->n] = '\0';
	sshd->n = 0;
	sshd->line[strcspn(sshd->line, "\r")] = '\0';
	if (*sshd->line == '\0')
		return;
	log_debug("sshd: %s", sshd->line);
	strcpy(sshd->last, sshd->line);
	if (!sshd->listening && strstr(sshd->line, "Server listening on"))
		on_listening(sshd);
	if (is_refusal(sshd) && *sshd->failure == '\0')
		fail(sshd, sshd->last);
}

static void on_text(void *user, uint32_t events)
{
	struct sshd *sshd = user;
	char text[1024];
	ssize_t n;

	while ((n = read(sshd->fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] != '\n')
				sshd->line[sshd->n++] = text[i];
			if (text[i] == '\n' || sshd->n == LINE_MAX_SSHD - 1)
				on_line(sshd);
		}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		stop_reading(sshd);
}

static void on_end(void *user, pid_t pid, int status)
{
	struct sshd *sshd = user;
	struct error err;

	sshd->pid = 0;
	if (sshd->fd >= 0)
		on_text(sshd, 0); /* its last words */
	stop_reading(sshd);
	if (WIFSIGNALED(status))
		snprintf(sshd->last, sizeof(sshd->last), "by signal %d",
			 WTERMSIG(status));
	sshd->listening = false;
	if (loop_now() - sshd->started > UPRIGHT)
		sshd->falls = 0;
	if (++sshd->falls > FALLS_MAX) {
		error_describe(&err, "sshd ended %u times: %s", sshd->falls,
			       *sshd->last ? sshd->last : "without a word");
		fail(sshd, err.text);
		return;
	}
	log_warn("sshd ended: it is started again: %s", sshd->last);
	loop_timer_set(sshd->loop, &sshd->again, PAUSE * sshd->falls, start,
		       sshd);
}

static int spawn_it(struct sshd *sshd, const char *config, struct error *err)
{
	const char *argv[] = {sshd->program, "-D", "-e", "-f", config, NULL};
	CLEANUP(close) int writer = -1;
	struct spawn child = {
		.argv = argv,
		.in = -1,
		.new_session = true,
		.on_parent_death = SIGKILL,
	};
	int pipes[2], r;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return error_errno(err, "cannot make a pipe");
	sshd->fd = pipes[0];
	writer = pipes[1];
	fcntl(sshd->fd, F_SETFL, O_NONBLOCK);
	child.out = child.err = writer;
	r = spawn(&child, &sshd->pid, err);
	if (r < 0)
		return r;
	r = loop_child_add(sshd->loop, sshd->pid, on_end, sshd, err);
	if (r == 0)
		r = loop_fd_add(&sshd->watch, sshd->loop, sshd->fd, EPOLLIN,
				on_text, sshd, err);
	return r;
}

static int try(struct sshd *sshd, struct error *err)
{
	const struct sshd_place place = {
		.dir = sshd->dir,
		.user = sshd->login,
		.listen = sshd->listen,
		.port = sshd->port,
		.bindir = sshd->bindir,
		.authorized = sshd->public_key,
		.env = (const char *const *)sshd->env,
		.host = &sshd->host,
	};
	char config[4300];
	int r = sshd_write_files(&place, err);

	if (r < 0)
		return r;
	snprintf(config, sizeof(config), "%s/config", sshd->dir);
	sshd->started = loop_now();
	return spawn_it(sshd, config, err);
}

static void start(void *user)
{
	struct sshd *sshd = user;
	struct error err;
	int r = choose_port(sshd, &err);

	if (r == 0)
		r = try(sshd, &err);
	if (r < 0)
		fail(sshd, err.text);
}

/* ---- beginning and end ---- */

static int copy(struct sshd *sshd, const struct sshd_room *room,
		struct error *err)
{
	char executor[64];
	const char *entries[8] = {executor};
	size_t n = 1;

	snprintf(executor, sizeof(executor), "BELLOWS_EXECUTOR=%d",
		 (int)getpid());
	while (room->env[n - 1] && n < LENGTH(entries)) {
		entries[n] = room->env[n - 1];
		n++;
	}
	snprintf(sshd->dir, sizeof(sshd->dir), "%s/sshd", room->dir);
	snprintf(sshd->bindir, sizeof(sshd->bindir), "%s", room->bindir);
	snprintf(sshd->address, sizeof(sshd->address), "%s", room->address);
	sshd->env = spawn_environment(NULL, entries, n);
	if (asprintf(&sshd->public_key, "%s\n", room->public_key) < 0)
		sshd->public_key = NULL;
	if (!sshd->env || !sshd->public_key)
		return error_set(err, -ENOMEM, "out of memory");
	if (mkdir(sshd->dir, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", sshd->dir);
	return 0;
}

int sshd_create(struct sshd **out, const struct sshd_room *room,
		struct error *err)
{
	CLEANUP(sshd_destroy) struct sshd *sshd = calloc(1, sizeof(*sshd));
	int r;

	if (!sshd)
		return error_set(err, -ENOMEM, "out of memory");
	sshd->loop = room->loop;
	sshd->events = room->events;
	sshd->user = room->user;
	sshd->fd = -1;
	r = copy(sshd, room, err);
	if (r == 0)
		r = find_user(sshd, err);
	if (r == 0)
		r = find_program(sshd, err);
	if (r == 0)
		r = make_privsep(err);
	if (r == 0)
		r = keypair_make(&sshd->host, "", err);
	if (r == 0)
		r = choose_port(sshd, err);
	if (r == 0)
		r = try(sshd, err);
	if (r < 0)
		return r;
	*out = STEAL(sshd);
	return 0;
}

struct sshd *sshd_destroy(struct sshd *sshd)
{
	if (!sshd)
		return NULL;
	loop_timer_clear(&sshd->again);
	stop_reading(sshd);
	if (sshd->pid > 0) {
		loop_child_remove(sshd->loop, sshd->pid);
		kill(sshd->pid, SIGKILL);
	}
	keypair_forget(&sshd->host);
	free(sshd->public_key);
	free(sshd->env);
	free(sshd);
	return NULL;
}
