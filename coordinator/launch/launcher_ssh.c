/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launcher.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/program.h"
#include "base/tree.h"
#include "coordinator/launch/sshconf.h"
#include "jobfile/exit.h"
#include "ssh/keypair.h"
#include "ssh/login.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

/*
 * The ssh launcher: an executor can be reached once its sshd has let us in
 *
 *   <dir>/ssh/key, key.pub    the job's: made for this life, or a copy of
 * mpi.key <dir>/ssh/config-2        for the ssh of start 2, with known_hosts-2
 *
 * A member that was probed waits until its executor has reported an sshd.  Then
 * we log in there, again and again until PATIENCE is over, and have a command
 * run that finds the MPI daemon.
 */

#define PATIENCE SECONDS(20) /* for a member to be reachable */
#define LOGIN    SECONDS(10) /* for one attempt */
#define PAUSE    MSEC(500)   /* between attempts */
#define PROOF    "command -v orted >/dev/null"

struct ssh;

/* A member, once it is heard of. */
struct ssh_member {
	struct ssh *ssh;
	int member;
	struct ssh_peer peer; /* port 0: nothing was reported yet */
	bool wanted;          /* to be admitted */
	msec_t since;         /* when it was first wanted */
	struct login *login;  /* under way */
	struct loop_timer again;
	char failure[640]; /* of the last attempt */
};

struct ssh {
	struct launcher launcher;
	const struct launcher_room *room;
	char dir[4200], key[4300];
	struct keypair pair;
	struct launcher_keys keys;
	struct ssh_member *ssh_members[MEMBERS_MAX]; /* NULL: not heard of */
};

static struct ssh *ssh_of(struct launcher *launcher)
{
	return (struct ssh *)launcher;
}

static const struct member *member_of(const struct ssh_member *at)
{
	return &members_ledger(at->ssh->room->members)->members[at->member];
}

/* ---- members that ssh reaches ---- */

static struct ssh_member *post_destroy(struct ssh_member *at)
{
	if (!at)
		return NULL;
	loop_timer_clear(&at->again);
	login_destroy(at->login);
	free(at);
	return NULL;
}

/* NULL without memory: asked again with the next report. */
static struct ssh_member *post_of(struct ssh *ssh, int member)
{
	struct ssh_member *at = ssh->ssh_members[member];

	if (at)
		return at;
	at = ssh->ssh_members[member] = calloc(1, sizeof(*at));
	if (at) {
		at->ssh = ssh;
		at->member = member;
	}
	return at;
}

static void refuse_member(struct ssh_member *at, const char *why, int exit_code)
{
	struct members *members = at->ssh->room->members;

	at->wanted = false;
	loop_timer_clear(&at->again);
	at->login = login_destroy(at->login);
	if (member_of(at)->state == MEMBER_READY) {
		log_warn("executor=%s %s", member_of(at)->name, why);
		members_release(members, at->member,
				"it cannot be reached any more");
	}
	members_refuse(members, at->member, why, exit_code);
}

/* ---- logging in ---- */

static void reach(void *user);

static void try_again(struct ssh_member *at, const char *why)
{
	bool is_new = strcmp(why, at->failure) != 0;

	snprintf(at->failure, sizeof(at->failure), "%s", why);
	if (loop_now() - at->since >= PATIENCE) {
		refuse_member(at, why, EXIT_UNREACHABLE);
		return;
	}
	if (is_new && at->peer.port != 0)
		log_info("executor=%s not reached yet: %s", member_of(at)->name,
			 why);
	loop_timer_set(at->ssh->room->loop, &at->again, PAUSE, reach, at);
}

static void on_login(void *user, int code, const char *failure,
		     const char *host_key)
{
	struct ssh_member *at = user;

	at->login = NULL;
	/* a polled executor takes the job's key after it has joined */
	if ((code == -EACCES && !member_of(at)->polled) || code == -ENOEXEC) {
		refuse_member(at, failure, EXIT_UNREACHABLE);
		return;
	}
	if (code < 0) {
		try_again(at, failure);
		return;
	}
	snprintf(at->peer.host_key, sizeof(at->peer.host_key), "%s", host_key);
	at->wanted = false;
	log_info("executor=%s lets us in at %s port %u", member_of(at)->name,
		 at->peer.address, at->peer.port);
	members_admit(at->ssh->room->members, at->member);
}

static void reach(void *user)
{
	struct ssh_member *at = user;
	struct ssh *ssh = at->ssh;
	struct error err;

	if (!at->wanted || at->login)
		return;
	if (at->peer.port == 0)
		try_again(at, "it has not reported an sshd");
	else if (login_start(&at->login, ssh->room->loop, &at->peer,
			     ssh->pair.private_key, PROOF, LOGIN, on_login, at,
			     &err) < 0)
		try_again(at, err.text);
}

static void ssh_admit(struct launcher *launcher, int member)
{
	struct ssh_member *at = post_of(ssh_of(launcher), member);

	if (!at || at->wanted)
		return;
	at->wanted = true;
	at->since = loop_now();
	reach(at);
}

/* ---- reports ---- */

static int take_peer(struct ssh_member *at, const Bellows__V1__Sshd *sshd,
		     struct error *err)
{
	const char *address = member_of(at)->address;
	struct ssh_peer peer = {.port = sshd->port};

	snprintf(peer.address, sizeof(peer.address), "%s",
		 *address ? address : "127.0.0.1");
	snprintf(peer.user, sizeof(peer.user), "%s", sshd->user);
	snprintf(peer.host_key, sizeof(peer.host_key), "%s", sshd->host_key);
	if (sshconf_check_peer(&peer, err) < 0)
		return -EINVAL;
	if (memcmp(&peer, &at->peer, sizeof(peer)) == 0)
		return 0;
	at->peer = peer;
	at->login = login_destroy(at->login); /* of the one before */
	return 0;
}

static void ssh_on_report(struct launcher *launcher, int member,
			  const Bellows__V1__Report *report)
{
	struct ssh_member *at;
	struct error err;

	if (report->what_case != BELLOWS__V1__REPORT__WHAT_SSHD)
		return;
	at = post_of(ssh_of(launcher), member);
	if (!at)
		return;
	if (*report->sshd->failure)
		refuse_member(at, report->sshd->failure, EXIT_SYSTEM);
	else if (take_peer(at, report->sshd, &err) < 0)
		refuse_member(at, err.text, EXIT_SYSTEM);
	else
		reach(at);
}

static void ssh_on_gone(struct launcher *launcher, int member)
{
	struct ssh *ssh = ssh_of(launcher);

	ssh->ssh_members[member] = post_destroy(ssh->ssh_members[member]);
}

/* ---- a start ---- */

typedef void (*print_f)(FILE *to, const struct sshconf *conf);

static int write_file(const char *path, const struct sshconf *conf,
		      print_f print, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	print(to, conf);
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return file_replace(path, 0600, text, n, err);
}

static int list_hosts(const struct ssh *ssh, const struct layout *layout,
		      struct sshconf_host *hosts, struct error *err)
{
	for (int i = 0; i < layout->n; i++) {
		int member = layout->places[i].member;
		const struct ssh_member *at = ssh->ssh_members[member];

		if (!at || at->peer.port == 0)
			return error_set(err, -ENOENT,
					 "executor %d has no sshd", member);
		hosts[i] = (struct sshconf_host){member, &at->peer};
	}
	return 0;
}

static int ssh_words(struct launcher *launcher, unsigned epoch,
		     const struct layout *layout, struct launcher_words *out,
		     struct error *err)
{
	struct ssh *ssh = ssh_of(launcher);
	char config[4300], known_hosts[4300];
	CLEANUP(free)
	struct sshconf_host *hosts = calloc((size_t)layout->n, sizeof(*hosts));
	struct sshconf conf = {ssh->key, known_hosts, hosts, (size_t)layout->n};
	int r;

	if (!hosts)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(config, sizeof(config), "%s/config-%u", ssh->dir, epoch);
	snprintf(known_hosts, sizeof(known_hosts), "%s/known_hosts-%u",
		 ssh->dir, epoch);
	r = list_hosts(ssh, layout, hosts, err);
	if (r == 0)
		r = write_file(config, &conf, sshconf_print, err);
	if (r == 0)
		r = write_file(known_hosts, &conf, sshconf_print_known_hosts,
			       err);
	if (r < 0)
		return r;
	snprintf(out->agent, sizeof(out->agent), "ssh -F %.4100s -x", config);
	*out->env = '\0';
	return 0;
}

static const struct launcher_keys *ssh_keys(const struct launcher *launcher)
{
	return &((const struct ssh *)launcher)->keys;
}

/* ---- life ---- */

static int check_here(const struct launcher_room *room, struct error *err)
{
	char path[4096];

	if (strpbrk(room->dir, " \t\"\\\n"))
		return error_set(err, -EINVAL,
				 "--state %s: the ssh launcher takes no path "
				 "with a blank, a quote or a backslash",
				 room->dir);
	if (!getpwuid(getuid()))
		return error_set(err, -ENOENT,
				 "user %u has no entry in the user database, "
				 "and ssh works only for users that have one",
				 (unsigned)getuid());
	return program_find("ssh", path, sizeof(path), err);
}

static void ssh_destroy(struct launcher *launcher)
{
	struct ssh *ssh = ssh_of(launcher);

	for (int i = 0; i < MEMBERS_MAX; i++)
		post_destroy(ssh->ssh_members[i]);
	tree_remove_path(ssh->dir, NULL);
	keypair_forget(&ssh->pair);
	free(ssh);
}

static int prepare(struct ssh *ssh, struct error *err)
{
	const char *key = ssh->room->key;
	int r = key ? keypair_read(&ssh->pair, key, err)
		    : keypair_make(&ssh->pair, "bellows", err);

	if (r < 0)
		return r;
	ssh->keys.public_key = ssh->pair.public_key;
	ssh->keys.private_key = ssh->pair.private_key;
	if (mkdir(ssh->dir, 0700) < 0)
		return error_errno(err, "%s", ssh->dir);
	return keypair_write(&ssh->pair, ssh->key, err);
}

static int ssh_create(struct launcher **out, const struct launcher_room *room,
		      struct error *err)
{
	struct ssh *ssh;
	int r = check_here(room, err);

	if (r < 0)
		return r;
	ssh = calloc(1, sizeof(*ssh));
	if (!ssh)
		return error_set(err, -ENOMEM, "out of memory");
	ssh->room = room;
	snprintf(ssh->dir, sizeof(ssh->dir), "%s/ssh", room->dir);
	snprintf(ssh->key, sizeof(ssh->key), "%s/key", ssh->dir);
	r = prepare(ssh, err);
	if (r < 0)
		ssh_destroy(&ssh->launcher);
	else
		*out = &ssh->launcher;
	return r;
}

const struct launcher_ops launcher_ssh = {
	.create = ssh_create,
	.destroy = ssh_destroy,
	.admit = ssh_admit,
	.words = ssh_words,
	.on_report = ssh_on_report,
	.on_gone = ssh_on_gone,
	.keys = ssh_keys,
};
