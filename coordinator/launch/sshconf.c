/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/sshconf.h"

#include "coordinator/launch/mpiexec.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* clang-format off */
static const char for_all[] =
	"Host *\n"
	"\tIdentitiesOnly yes\n"
	"\tIdentityAgent none\n"
	"\tPreferredAuthentications publickey\n"
	"\tBatchMode yes\n"
	"\tStrictHostKeyChecking yes\n"
	"\tUpdateHostKeys no\n"
	"\tCheckHostIP no\n"
	"\tGlobalKnownHostsFile /dev/null\n"
	"\tConnectTimeout 10\n"
	"\tServerAliveInterval 5\n"
	"\tServerAliveCountMax 3\n"
	"\tForwardAgent no\n"
	"\tControlMaster no\n"
	"\tControlPath none\n"
	"\tCanonicalizeHostname no\n"
	"\tLogLevel ERROR\n"
	"\tSendEnv BELLOWS_EPOCH\n";
/* clang-format on */

/* ssh gives words that begin with a percent sign a meaning. */
static void put_doubled(FILE *to, const char *text)
{
	for (; *text; text++)
		fprintf(to, *text == '%' ? "%%%%" : "%c", *text);
}

static void put_path(FILE *to, const char *key, const char *path)
{
	fprintf(to, "\t%s \"", key);
	put_doubled(to, path);
	fputs("\"\n", to);
}

static void put_host(FILE *to, const struct sshconf_host *host)
{
	const struct ssh_peer *peer = host->peer;
	char alias[ALIAS_MAX];

	mpiexec_alias(alias, host->member);
	fprintf(to, "Host %s\n\tHostName ", alias);
	put_doubled(to, peer->address);
	fprintf(to, "\n\tPort %u\n\tHostKeyAlias bellows-%d\n", peer->port,
		host->member);
	if (*peer->user)
		fprintf(to, "\tUser %s\n", peer->user);
}

void sshconf_print(FILE *to, const struct sshconf *conf)
{
	for (size_t i = 0; i < conf->n_hosts; i++)
		put_host(to, &conf->hosts[i]);
	fputs(for_all, to);
	put_path(to, "IdentityFile", conf->key);
	put_path(to, "UserKnownHostsFile", conf->known_hosts);
}

void sshconf_print_known_hosts(FILE *to, const struct sshconf *conf)
{
	for (size_t i = 0; i < conf->n_hosts; i++)
		fprintf(to, "bellows-%d %s\n", conf->hosts[i].member,
			conf->hosts[i].peer->host_key);
}

static bool is_address(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char plain[SSH_ADDRESS_MAX];
	char *scope;

	snprintf(plain, sizeof(plain), "%s", text);
	scope = strchr(plain, '%');
	if (scope && scope[1 + strspn(scope + 1, "abcdefghijklmnopqrstuvwxyz"
						 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
						 "0123456789._-")])
		return false;
	if (scope)
		*scope = '\0';
	return (!scope && inet_pton(AF_INET, plain, bytes) == 1) ||
	       inet_pton(AF_INET6, plain, bytes) == 1;
}

static bool consists_of(const char *text, const char *more)
{
	for (; *text; text++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
			    *text) &&
		    !strchr(more, *text))
			return false;
	return true;
}

int sshconf_check_peer(const struct ssh_peer *peer, struct error *err)
{
	if (!is_address(peer->address))
		return error_set(err, -EINVAL,
				 "its address '%s' is not one of IPv4 or IPv6, "
				 "and the ssh launcher looks up no names; "
				 "--address",
				 peer->address);
	if (peer->port < 1 || peer->port > 65535)
		return error_set(err, -EINVAL,
				 "its sshd's port %u is not from 1 to 65535",
				 peer->port);
	if (*peer->user == '-' || !consists_of(peer->user, "._-"))
		return error_set(err, -EINVAL,
				 "its user '%s' is not of A-Z a-z 0-9 . _ -",
				 peer->user);
	if (!consists_of(peer->host_key, "+/=- @.") || *peer->host_key == ' ')
		return error_set(err, -EINVAL,
				 "its sshd's host key is not a type and base64 "
				 "on one line");
	return 0;
}
