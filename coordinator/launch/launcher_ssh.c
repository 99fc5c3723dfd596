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
 * The ssh launcher: whoever's sshd let us in can be reached
 *
 *   <dir>/ssh/key, key.pub    the job's: made for this life, or a copy of
 * mpi.key <dir>/ssh/config-2        for the ssh of start 2, with known_hosts-2
 *
 * A member that was probed waits until its executor has reported an sshd.  Then
 * we log in there, again and again until PATIENCE is over, and have a command
 * run that finds the MPI daemon.
 */

#define PATIENCE SECONDS(20)   /* for a member to be reachable */
#define LOGIN    SECONDS(10)   /* for one attempt */
#define PAUSE    ((msec_t)500) /* between attempts */
#define PROOF    "command -v orted >/dev/null"

struct ssh;

/* A member, once it is heard of. */
struct post {
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
	struct post *posts[MEMBERS_MAX]; /* NULL: not heard of */
};

static struct ssh *ssh_of(struct launcher *launcher)
{
	return (struct ssh *)launcher;
}

static const struct member *member_of(const struct post *post)
{
	return &members_ledger(post->ssh->room->members)->members[post->member];
}

/* ---- posts ---- */

static struct post *post_destroy(struct post *post)
{
	if (!post)
		return NULL;
	loop_timer_clear(&post->again);
	login_destroy(post->login);
	free(post);
	return NULL;
}

/* NULL without memory: asked again with the next report. */
static struct post *post_of(struct ssh *ssh, int member)
{
	struct post *post = ssh->posts[member];

	if (post)
		return post;
	post = ssh->posts[member] = calloc(1, sizeof(*post));
	if (post) {
		post->ssh = ssh;
		post->member = member;
	}
	return post;
}

static void refuse(struct post *post, const char *why, int exit_code)
{
	struct members *members = post->ssh->room->members;

	post->wanted = false;
	loop_timer_clear(&post->again);
	post->login = login_destroy(post->login);
	if (member_of(post)->state == MEMBER_READY) {
		log_warn("executor=%s %s", member_of(post)->name, why);
		members_release(members, post->member,
				"it cannot be reached any more");
	}
	members_refuse(members, post->member, why, exit_code);
}

/* ---- logging in ---- */

static void reach(void *user);

static void try_again(struct post *post, const char *why)
{
	bool is_new = strcmp(why, post->failure) != 0;

	snprintf(post->failure, sizeof(post->failure), "%s", why);
	if (loop_now() - post->since >= PATIENCE) {
		refuse(post, why, EXIT_UNREACHABLE);
		return;
	}
	if (is_new && post->peer.port != 0)
		log_info("executor=%s not reached yet: %s",
			 member_of(post)->name, why);
	loop_timer_set(post->ssh->room->loop, &post->again, PAUSE, reach, post);
}

static void on_login(void *user, int code, const char *failure,
		     const char *host_key)
{
	struct post *post = user;

	post->login = NULL;
	/* a polled executor takes the job's key after it has joined */
	if ((code == -EACCES && !member_of(post)->polled) || code == -ENOEXEC) {
		refuse(post, failure, EXIT_UNREACHABLE);
		return;
	}
	if (code < 0) {
		try_again(post, failure);
		return;
	}
	snprintf(post->peer.host_key, sizeof(post->peer.host_key), "%s",
		 host_key);
	post->wanted = false;
	log_info("executor=%s lets us in at %s port %u", member_of(post)->name,
		 post->peer.address, post->peer.port);
	members_admit(post->ssh->room->members, post->member);
}

static void reach(void *user)
{
	struct post *post = user;
	struct ssh *ssh = post->ssh;
	struct error err;

	if (!post->wanted || post->login)
		return;
	if (post->peer.port == 0)
		try_again(post, "it has not reported an sshd");
	else if (login_start(&post->login, ssh->room->loop, &post->peer,
			     ssh->pair.private_key, PROOF, LOGIN, on_login,
			     post, &err) < 0)
		try_again(post, err.text);
}

static void ssh_admit(struct launcher *launcher, int member)
{
	struct post *post = post_of(ssh_of(launcher), member);

	if (!post || post->wanted)
		return;
	post->wanted = true;
	post->since = loop_now();
	reach(post);
}

/* ---- reports ---- */

static int take_peer(struct post *post, const Bellows__V1__Sshd *sshd,
		     struct error *err)
{
	const char *address = member_of(post)->address;
	struct ssh_peer peer = {.port = sshd->port};

	snprintf(peer.address, sizeof(peer.address), "%s",
		 *address ? address : "127.0.0.1");
	snprintf(peer.user, sizeof(peer.user), "%s", sshd->user);
	snprintf(peer.host_key, sizeof(peer.host_key), "%s", sshd->host_key);
	if (sshconf_check_peer(&peer, err) < 0)
		return -EINVAL;
	if (memcmp(&peer, &post->peer, sizeof(peer)) == 0)
		return 0;
	post->peer = peer;
	post->login = login_destroy(post->login); /* of the one before */
	return 0;
}

static void ssh_on_report(struct launcher *launcher, int member,
			  const Bellows__V1__Report *report)
{
	struct post *post;
	struct error err;

	if (report->what_case != BELLOWS__V1__REPORT__WHAT_SSHD)
		return;
	post = post_of(ssh_of(launcher), member);
	if (!post)
		return;
	if (*report->sshd->failure)
		refuse(post, report->sshd->failure, EXIT_SYSTEM);
	else if (take_peer(post, report->sshd, &err) < 0)
		refuse(post, err.text, EXIT_SYSTEM);
	else
		reach(post);
}

static void ssh_on_gone(struct launcher *launcher, int member)
{
	struct ssh *ssh = ssh_of(launcher);

	ssh->posts[member] = post_destroy(ssh->posts[member]);
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
		const struct post *post = ssh->posts[member];

		if (!post || post->peer.port == 0)
			return error_set(err, -ENOENT,
					 "executor %d has no sshd", member);
		hosts[i] = (struct sshconf_host){member, &post->peer};
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
				 "and ssh works for nobody whom it does not "
				 "know",
				 (unsigned)getuid());
	return program_find("ssh", path, sizeof(path), err);
}

static void ssh_destroy(struct launcher *launcher)
{
	struct ssh *ssh = ssh_of(launcher);

	for (int i = 0; i < MEMBERS_MAX; i++)
		post_destroy(ssh->posts[i]);
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
