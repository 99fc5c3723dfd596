/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/sshd_files.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
static const char fixed[] =
	"PidFile none\n"
	"UsePAM no\n"
	"AuthenticationMethods publickey\n"
	"PubkeyAuthentication yes\n"
	"PasswordAuthentication no\n"
	"KbdInteractiveAuthentication no\n"
	"PermitRootLogin prohibit-password\n"
	/* above the keys stands a directory that all may write to, as /tmp;
	 * their own is ours alone */
	"StrictModes no\n"
	"DisableForwarding yes\n"
	"PermitTTY no\n"
	"PermitUserRC no\n"
	"PermitUserEnvironment no\n"
	"PrintMotd no\n"
	"UseDNS no\n"
	"LoginGraceTime 20\n"
	"ClientAliveInterval 5\n"
	"ClientAliveCountMax 3\n"
	"AcceptEnv BELLOWS_EPOCH\n";
/* clang-format on */

/* AuthorizedKeysFile has tokens that begin with a percent sign. */
static void put_doubled(FILE *to, const char *text)
{
	for (; *text; text++)
		fprintf(to, *text == '%' ? "%%%%" : "%c", *text);
}

void sshd_print_config(FILE *to, const struct sshd_place *place)
{
	fprintf(to, "Port %u\n", place->port);
	fprintf(to, "ListenAddress %s\n", place->listen);
	fprintf(to, "HostKey \"%s/host_key\"\n", place->dir);
	fputs("AuthorizedKeysFile \"", to);
	put_doubled(to, place->dir);
	fputs("/authorized_keys\"\n", to);
	fprintf(to, "AllowUsers %s\n", place->user);
	fputs(fixed, to);
	fprintf(to, "SetEnv \"BELLOWS_SESSION=%s\" \"HOME=%s/home\"\n",
		place->dir, place->dir);
	fprintf(to, "ForceCommand exec '%s/bellows-launch' --session\n",
		place->bindir);
}

static int write_file(const struct sshd_place *place, const char *name,
		      const char *text, size_t size, struct error *err)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", place->dir, name);
	return file_replace(path, 0600, text, size, err);
}

static int write_config(const struct sshd_place *place, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	sshd_print_config(to, place);
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return write_file(place, "config", text, n, err);
}

static int write_environment(const struct sshd_place *place, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	for (const char *const *at = place->env; *at; at++)
		fwrite(*at, 1, strlen(*at) + 1, to);
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return write_file(place, "environment", text, n, err);
}

/* Quotes, backslashes and line ends have a meaning in the configuration, and
 * single quotes for the user's shell. */
static int check_path(const char *path, struct error *err)
{
	if (!strpbrk(path, "\"'\\\n\r!"))
		return 0;
	return error_set(err, -EINVAL,
			 "%s: the ssh launcher takes no path with a quote, a "
			 "backslash, a line end or an exclamation mark",
			 path);
}

int sshd_write_files(const struct sshd_place *place, struct error *err)
{
	char path[4200];
	int r = check_path(place->dir, err);

	if (r == 0)
		r = check_path(place->bindir, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/home", place->dir);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", path);
	snprintf(path, sizeof(path), "%s/host_key", place->dir);
	r = keypair_write(place->host, path, err);
	if (r == 0)
		r = write_file(place, "authorized_keys", place->authorized,
			       strlen(place->authorized), err);
	if (r == 0)
		r = write_environment(place, err);
	return r < 0 ? r : write_config(place, err);
}
