/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/rpc_room.h"

#include <signal.h>
#include <sys/prctl.h>

/*
 * room serve ADDRESS   the server of rpc_room.h; prints where it listens
 * room chat ADDRESS    a client that says "hello" and then nothing
 *
 * Both stay until they are killed, or their parent ends.  SIGUSR1 makes the
 * server change its health.
 */

static void on_usr1(void *user, int signo, pid_t sender)
{
	static bool serving = true;

	serving = !serving;
	rpc_server_set_serving(server, "test.room.Room", serving);
}

static int chat(const char *address)
{
	note_t hello = a_note("hello");

	if (rpc_channel_create(&channel, rpc, address, NULL, NULL) < 0 ||
	    !open_stream("/test.room.Room/Chat", &hello, 0))
		return 1;
	return loop_run(loop);
}

int main(int argc, char **argv)
{
	struct error err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc != 3 || loop_create(&loop, &err) < 0 ||
	    rpc_create(&rpc, loop, &err) < 0)
		return 2;
	if (strcmp(argv[1], "chat") == 0)
		return chat(argv[2]);
	if (loop_signal_add(loop, SIGUSR1, on_usr1, NULL, &err) < 0 ||
	    serve(&server, argv[2], &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%s\n", rpc_server_address(server));
	fflush(stdout);
	return loop_run(loop);
}
