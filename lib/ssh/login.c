/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/login.h"

#include "base/cleanup.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh/libssh.h>
#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { AGAIN = 1 }; /* of a phase: not yet */

/* The loop is not woken for what libssh has taken from the socket already. */
#define LOOK_AGAIN MSEC(100)

struct login {
	struct loop *loop;
	struct ssh_peer peer;
	char command[256];
	ssh_session session;
	ssh_key key;
	ssh_channel channel;
	char host_key[SSH_HOST_KEY_MAX];
	int fd; /* libssh has one of its own, of the same socket */
	struct loop_fd *watch;
	struct loop_timer late, look;
	size_t phase;
	msec_t patience;
	login_f fn;
	void *user;
};

DEFINE_CLEANUP(struct login, login_destroy)

/* ---- phases: 0 when done, AGAIN, or -errno with a sentence ---- */

static int say(struct login *login, struct error *err, const char *what)
{
	return error_set(err, -EIO, "%s: %s", what,
			 ssh_get_error(login->session));
}

static int hand_over(struct login *login, struct error *err)
{
	int fd = fcntl(login->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return error_errno(err, "no descriptor");
	ssh_options_set(login->session, SSH_OPTIONS_FD, &fd);
	return 0;
}

static int connecting(struct login *login, struct error *err)
{
	int failure = 0;
	socklen_t n = sizeof(failure);
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);

	getsockopt(login->fd, SOL_SOCKET, SO_ERROR, &failure, &n);
	if (failure != 0)
		return error_set(err, -failure, "cannot connect: %s",
				 strerror(failure));
	return getpeername(login->fd, (struct sockaddr *)&peer, &size) == 0
		       ? hand_over(login, err)
		       : AGAIN;
}

static int read_host_key(struct login *login, struct error *err)
{
	ssh_key key = NULL;
	char *text = NULL;

	if (ssh_get_server_publickey(login->session, &key) == SSH_OK &&
	    ssh_pki_export_pubkey_base64(key, &text) == SSH_OK)
		snprintf(login->host_key, sizeof(login->host_key), "%s %s",
			 ssh_key_type_to_char(ssh_key_type(key)), text);
	ssh_string_free_char(text);
	ssh_key_free(key);
	return *login->host_key ? 0 : say(login, err, "no host key");
}

static int greeting(struct login *login, struct error *err)
{
	int r = ssh_connect(login->session);

	if (r == SSH_AGAIN)
		return AGAIN;
	if (r != SSH_OK)
		return say(login, err, "no ssh");
	r = read_host_key(login, err);
	if (r == 0 && *login->peer.host_key &&
	    strcmp(login->host_key, login->peer.host_key) != 0)
		r = error_set(err, -EPROTO,
			      "its host key is not the one it was announced "
			      "with");
	return r;
}

static int entering(struct login *login, struct error *err)
{
	switch (ssh_userauth_publickey(login->session, NULL, login->key)) {
	case SSH_AUTH_SUCCESS:
		login->channel = ssh_channel_new(login->session);
		return login->channel ? 0 : say(login, err, "no channel");
	case SSH_AUTH_AGAIN:
		return AGAIN;
	case SSH_AUTH_DENIED:
	case SSH_AUTH_PARTIAL:
		return error_set(err, -EACCES,
				 "it does not let the job's key in as %s",
				 login->peer.user);
	default:
		return say(login, err, "no login");
	}
}

static int opening(struct login *login, struct error *err)
{
	int r = ssh_channel_open_session(login->channel);

	return r == SSH_OK      ? 0
	       : r == SSH_AGAIN ? AGAIN
				: say(login, err, "no session");
}

static int asking(struct login *login, struct error *err)
{
	int r = ssh_channel_request_exec(login->channel, login->command);

	return r == SSH_OK      ? 0
	       : r == SSH_AGAIN ? AGAIN
				: say(login, err, "it runs no command");
}

static int hearing(struct login *login, struct error *err)
{
	int status = ssh_channel_get_exit_status(login->channel);

	if (status == 0)
		return 0;
	if (status > 0)
		return error_set(err, -ENOEXEC,
				 "'%s' ended with %d there, run by the shell "
				 "of %s",
				 login->command, status, login->peer.user);
	if (ssh_channel_is_closed(login->channel) ||
	    !ssh_is_connected(login->session))
		return error_set(err, -EIO, "'%s' was not run to its end there",
				 login->command);
	return AGAIN;
}

static int (*const phases[])(struct login *login, struct error *err) = {
	connecting, greeting, entering, opening, asking, hearing,
};

/* ---- going on ---- */

static void finish(struct login *login, int code, const char *failure)
{
	login_f fn = login->fn;
	void *user = login->user;
	char host_key[SSH_HOST_KEY_MAX], text[sizeof(struct error) + 128];

	snprintf(host_key, sizeof(host_key), "%s", login->host_key);
	snprintf(text, sizeof(text), "sshd at %s port %u: %s",
		 login->peer.address, login->peer.port, failure ? failure : "");
	login_destroy(login);
	fn(user, code, failure ? text : NULL, failure ? NULL : host_key);
}

static void step(struct login *login)
{
	struct error err;
	int r = 0;

	while (r == 0 && login->phase < LENGTH(phases)) {
		r = phases[login->phase](login, &err);
		login->phase += r == 0;
	}
	if (r != AGAIN)
		finish(login, r, r < 0 ? err.text : NULL);
}

static void on_look(void *user)
{
	struct login *login = user;

	loop_timer_set(login->loop, &login->look, LOOK_AGAIN, on_look, login);
	step(login);
}

static void on_ready(void *user, uint32_t events)
{
	struct login *login = user;

	loop_fd_set(login->watch, EPOLLIN);
	step(login);
}

static void on_late(void *user)
{
	struct login *login = user;
	char text[64];

	snprintf(text, sizeof(text), "no login within %lld ms",
		 (long long)login->patience);
	finish(login, -ETIMEDOUT, text);
}

/* ---- beginning ---- */

static int dial(struct login *login, struct error *err)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	const struct ssh_peer *peer = &login->peer;
	struct addrinfo *info;
	char port[16];
	int r;

	snprintf(port, sizeof(port), "%u", peer->port);
	if (getaddrinfo(peer->address, port, &hints, &info) != 0)
		return error_set(err, -EINVAL,
				 "'%s' is not an address of IPv4 or IPv6, and "
				 "no name is looked up",
				 peer->address);
	login->fd = socket(info->ai_family,
			   SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	r = login->fd < 0 ? -1
			  : connect(login->fd, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(info);
	return r < 0 && errno != EINPROGRESS
		       ? error_errno(err, "sshd at %s port %u: cannot connect",
				     peer->address, peer->port)
		       : 0;
}

static bool set(struct login *login, enum ssh_options_e option,
		const void *value)
{
	return ssh_options_set(login->session, option, value) == SSH_OK;
}

static bool configure(struct login *login)
{
	static const char ed25519[] = "ssh-ed25519";
	const char *expected = login->peer.host_key;
	int no = 0;

	if (!set(login, SSH_OPTIONS_PROCESS_CONFIG, &no) ||
	    !set(login, SSH_OPTIONS_HOST, "peer") ||
	    !set(login, SSH_OPTIONS_USER, login->peer.user) ||
	    !set(login, SSH_OPTIONS_KNOWNHOSTS, "/dev/null") ||
	    !set(login, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null"))
		return false;
	/* an sshd with several keys is to show the one that is known */
	if (strncmp(expected, ed25519, strlen(ed25519)) == 0 &&
	    !set(login, SSH_OPTIONS_HOSTKEYS, ed25519))
		return false;
	ssh_set_blocking(login->session, 0);
	return true;
}

int login_start(struct login **out, struct loop *loop,
		const struct ssh_peer *peer, const char *private_key,
		const char *command, msec_t patience, login_f fn, void *user,
		struct error *err)
{
	CLEANUP(login_destroy) struct login *login = calloc(1, sizeof(*login));
	int r;

	if (!login)
		return error_set(err, -ENOMEM, "out of memory");
	login->fd = -1;
	login->loop = loop;
	login->peer = *peer;
	login->patience = patience;
	login->fn = fn;
	login->user = user;
	snprintf(login->command, sizeof(login->command), "%s", command);
	if (ssh_pki_import_privkey_base64(private_key, NULL, NULL, NULL,
					  &login->key) != SSH_OK)
		return error_set(err, -EINVAL, "the private key is none");
	r = dial(login, err);
	if (r < 0)
		return r;
	login->session = ssh_new();
	if (!login->session || !configure(login))
		return error_set(err, -ENOMEM, "libssh: no session");
	r = loop_fd_add(&login->watch, loop, login->fd, EPOLLIN | EPOLLOUT,
			on_ready, login, err);
	if (r < 0)
		return r;
	loop_timer_set(loop, &login->late, patience, on_late, login);
	loop_timer_set(loop, &login->look, LOOK_AGAIN, on_look, login);
	*out = STEAL(login);
	return 0;
}

/* libssh closes a descriptor that it was given when it meets an error, and at
 * no other time; it then has none any more. */
static void end_session(ssh_session session)
{
	int fd = ssh_get_fd(session);

	ssh_disconnect(session);
	ssh_free(session);
	if (fd >= 0)
		close(fd);
}

struct login *login_destroy(struct login *login)
{
	if (!login)
		return NULL;
	loop_timer_clear(&login->late);
	loop_timer_clear(&login->look);
	loop_fd_remove(login->watch);
	ssh_channel_free(login->channel);
	if (login->session)
		end_session(login->session);
	ssh_key_free(login->key);
	if (login->fd >= 0)
		close(login->fd);
	free(login);
	return NULL;
}
