/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_HTTP_ROOM_H
#define TESTS_UNIT_HTTP_ROOM_H

/*
 * http_server.py as a child, and its folder; both are gone with room_end()
 */

#include "base/cleanup.h"
#include "base/tree.h"
#include "loop/spawn.h"
#include "tests/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char room_folder[] = "/tmp/bellows-http-XXXXXX";
static pid_t room_server;
static int room_input = -1; /* the server ends when it is closed */
static struct {
	char name[16];
	unsigned port;
} room_ports[16];

static bool room_read_ports(int fd)
{
	CLEANUP(fclose) FILE *f = fdopen(fd, "re");

	for (size_t i = 0; f && i < 16; i++) {
		if (fscanf(f, "%15s %u", room_ports[i].name,
			   &room_ports[i].port) != 2)
			return false;
		if (strcmp(room_ports[i].name, "ready") == 0)
			return true;
	}
	return false;
}

static bool room_begin(void)
{
	const char *const argv[] = {"/usr/bin/python3", "-B", HTTP_SERVER,
				    room_folder, NULL};
	struct spawn what = {.argv = argv, .err = -1};
	struct error err;
	int in[2], out[2];
	bool ready;

	if (!mkdtemp(room_folder) || pipe2(in, O_CLOEXEC) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0)
		return false;
	what.in = in[0];
	what.out = out[1];
	what.on_parent_death = SIGKILL;
	if (spawn(&what, &room_server, &err) < 0) {
		note("no server", err.text);
		return false;
	}
	close(in[0]);
	close(out[1]);
	room_input = in[1];
	alarm(60);
	ready = room_read_ports(out[0]);
	alarm(0);
	return ready;
}

static void room_end(void)
{
	if (room_input >= 0)
		close(room_input);
	if (room_server > 0)
		waitpid(room_server, NULL, 0);
	tree_remove_path(room_folder, NULL);
}

static unsigned room_port(const char *name)
{
	for (size_t i = 0; i < 16; i++)
		if (strcmp(room_ports[i].name, name) == 0)
			return room_ports[i].port;
	return 0;
}

/* In a buffer of its own, one of eight; borrowed. */
static UNUSED const char *room_url(const char *server, const char *path)
{
	static char urls[8][512];
	static unsigned next;
	char *url = urls[next++ % 8];

	snprintf(url, 512, "%s://127.0.0.1:%u%s",
		 strcmp(server, "plain") == 0 ? "http" : "https",
		 room_port(server), path);
	return url;
}

/* The same of a file in the folder. */
static UNUSED const char *room_text(const char *name)
{
	static char texts[8][8192];
	static unsigned next;
	char *text = texts[next++ % 8], path[128];
	CLEANUP(fclose) FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%s", room_folder, name);
	f = fopen(path, "re");
	text[f ? fread(text, 1, 8191, f) : 0] = '\0';
	return text;
}

#endif
