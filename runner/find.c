/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/find.h"

#include "base/text.h"
#include "runner/keys.h"
#include "runner/kube/reach.h"
#include "runner/state_dir.h"

#include <errno.h>
#include <string.h>

static int read_address(struct client *client, const struct state_dir *dir,
			struct error *err)
{
	struct stamp stamp;
	int r = state_dir_address(dir, client->address, sizeof(client->address),
				  &stamp, err);

	if (r == -ENOENT && access(dir->path, F_OK) < 0)
		return error_set(err, r,
				 "there is no job %s: no %s; 'bellows status' "
				 "lists those that run",
				 client->name, dir->path);
	if (r == -ENOENT)
		return error_set(err, r,
				 "job %s does not run; 'bellows status' lists "
				 "those that do",
				 client->name);
	return r == -EINVAL ? -EIO : r;
}

static int take_address(struct client *client, const char *connect,
			struct error *err)
{
	size_t n = 0;

	for (; connect[n]; n++)
		if (connect[n] <= ' ' || connect[n] > '~')
			return error_set(err, -EINVAL,
					 "--connect: '%s' is no address",
					 text_safe(connect).s);
	if (n == 0 || n >= sizeof(client->address))
		return error_set(err, -EINVAL,
				 "--connect needs an address of at most 255 "
				 "characters");
	memcpy(client->address, connect, n + 1);
	return 0;
}

/* dir: of the job; NULL: its address was given, and no folder. */
static int find_secrets(struct client *client, const struct lookup *lookup,
			const struct state_dir *dir, struct error *err)
{
	int r = 0;

	if (lookup->token_file)
		r = token_read(&client->token, lookup->token_file, err);
	else if (dir)
		r = state_dir_token(dir, &client->token, err);
	if (r < 0)
		return r == -EINVAL && !lookup->token_file ? -EIO : r;
	if (lookup->tls)
		r = keys_read_client(&client->tls, lookup->tls, err);
	else if (dir)
		r = state_dir_identity(dir, ROLE_CLIENT, &client->tls, err);
	return r == -EINVAL && !lookup->tls ? -EIO : r;
}

static int find_in_folder(struct client *client, const struct lookup *lookup,
			  const char *job, struct error *err)
{
	struct state_dir dir;
	int r = state_dir_of(&dir, lookup, job, err);

	if (r == 0)
		r = read_address(client, &dir, err);
	return r < 0 ? r : find_secrets(client, lookup, &dir, err);
}

static int find_by_address(struct client *client, const struct lookup *lookup,
			   struct error *err)
{
	int r = take_address(client, lookup->connect, err);

	return r < 0 ? r : find_secrets(client, lookup, NULL, err);
}

static int find_in_kube(struct client *client, const struct lookup *lookup,
			const char *job, struct error *err)
{
	struct route *route;
	int r = state_dir_check_name(job, err);

	if (r < 0)
		return r;
	snprintf(client->name, sizeof(client->name), "%s", job);
	r = client_loop(client, err);
	if (r == 0)
		r = route_find(&route, client->loop, lookup, job, err);
	if (r == 0)
		route_lend(route, client);
	return r;
}

int job_find(struct client *client, const struct lookup *lookup,
	     const char *job, struct error *err)
{
	const char *name = job               ? job
			   : lookup->connect ? lookup->connect
					     : lookup->state;

	if (lookup->on)
		return find_in_kube(client, lookup, job, err);
	snprintf(client->name, sizeof(client->name), "%.63s",
		 text_safe(name).s);
	/* a job's own folder has a certificate if the job encrypts */
	client->unencrypted = lookup->unencrypted || !lookup->connect;
	return lookup->connect ? find_by_address(client, lookup, err)
			       : find_in_folder(client, lookup, job, err);
}

int job_open(struct client *client, const struct lookup *lookup,
	     const char *job, struct error *err)
{
	int r = job_find(client, lookup, job, err);

	return r < 0 ? r : client_open(client, err);
}

static bool listens(const char *address)
{
	int r = client_probe(address);

	/* of other failures client_open() says what is the matter */
	return r != -ENOENT && r != -ECONNREFUSED;
}

static int find_queue(struct client *client, const struct lookup *lookup,
		      struct error *err)
{
	struct state_dir dir;
	struct stamp stamp;
	int r = state_dir_of_queue(&dir, lookup, err);

	if (r < 0)
		return r;
	r = state_dir_address(&dir, client->address, sizeof(client->address),
			      &stamp, err);
	if (r == -ENOENT || (r == 0 && !listens(client->address)))
		return error_set(err, -ENOENT,
				 "no scheduler runs for this user: 'bellows "
				 "serve' starts one");
	if (r < 0)
		return r == -EINVAL ? -EIO : r;
	return find_secrets(client, lookup, &dir, err);
}

int queue_open(struct client *client, const struct lookup *lookup,
	       struct error *err)
{
	int r;

	client->is_scheduler = true;
	client->unencrypted = lookup->unencrypted || !lookup->connect;
	r = lookup->connect ? find_by_address(client, lookup, err)
			    : find_queue(client, lookup, err);
	return r < 0 ? r : client_open(client, err);
}
