/* SPDX-License-Identifier: Apache-2.0 */

/*
 * echo PORT: sends back what comes, to each connection from a process of its
 * own; the program of a pod that is talked to
 */

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A process 1 that does not ask for it is not ended by SIGTERM. */
static void end(int signo)
{
	_exit(0);
}

static void send_back(int fd)
{
	static char bytes[65536];
	ssize_t n, sent;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0; at < n; at += sent) {
			sent = write(fd, bytes + at, (size_t)(n - at));
			if (sent <= 0)
				_exit(1);
		}
	_exit(n < 0);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	signal(SIGCHLD, SIG_IGN);
	signal(SIGTERM, end);
	at.sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "0"));
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(listener, 64) < 0)
		return 1;
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0 && fork() == 0)
			send_back(fd);
		close(fd);
	}
}
