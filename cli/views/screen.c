/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/screen.h"

#include "base/list.h"
#include "cli/views/fd_writer.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen without a cursor; and back. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME  "\033[H\033[J"

struct screen {
	struct screen_config config;
	struct loop *loop;
	struct fd_writer *out;
	struct loop_fd *keys; /* NULL: none are read */
	struct termios before;
	bool terminal, due, stopped;
};

bool screen_is_terminal(const char *term)
{
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

struct screen_size screen_size(const char *term)
{
	struct screen_size size = {80, 24, false};
	struct winsize now;

	size.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!screen_is_terminal(term) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) < 0)
		return size;
	if (now.ws_col > 0)
		size.columns = now.ws_col < 500 ? now.ws_col : 500;
	if (now.ws_row > 0)
		size.rows = now.ws_row;
	return size;
}

static void put(struct screen *screen, const char *text)
{
	if (screen->terminal)
		fd_writer_write(screen->out, text, strlen(text));
}

static void stop(struct screen *screen, int signo)
{
	if (screen->stopped)
		return;
	screen->stopped = true;
	screen->config.on_stop(screen->config.user, signo);
}

/* Lines for which there are rows; a newline in the last one would scroll. */
static void show(struct screen *screen, const char *text, unsigned rows)
{
	size_t lines = 0, fit = 0;
	char more[48];

	for (const char *at = text; *at; at++)
		if (*at == '\n' && ++lines + 1 == rows)
			fit = (size_t)(at - text);
	put(screen, HOME);
	if (lines <= rows) {
		fd_writer_write(screen->out, text, strlen(text) - (lines > 0));
		return;
	}
	fd_writer_write(screen->out, text, fit);
	snprintf(more, sizeof(more), "\nand %zu more lines", lines - rows + 1);
	put(screen, more);
}

void screen_draw(struct screen *screen)
{
	const struct screen_size size = screen_size(screen->config.term);
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to;

	screen->due = !fd_writer_is_empty(screen->out);
	if (screen->due || screen->stopped)
		return;
	to = open_memstream(&text, &n);
	if (!to)
		return;
	screen->config.draw(screen->config.user, to, &size);
	if (fclose(to) != 0)
		return;
	if (screen->terminal)
		show(screen, text, size.rows);
	else
		fd_writer_write(screen->out, text, n);
	if (fd_writer_failure(screen->out))
		stop(screen, 0);
}

static void on_room(void *user)
{
	struct screen *screen = user;

	if (fd_writer_failure(screen->out))
		stop(screen, 0);
	else if (screen->due)
		screen_draw(screen);
}

/* ---- the terminal ---- */

static void take_keys(struct screen *screen)
{
	struct termios now = screen->before;

	if (!screen->keys)
		return;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

static void enter(struct screen *screen)
{
	take_keys(screen);
	put(screen, ENTER);
}

static void leave(struct screen *screen)
{
	put(screen, LEAVE);
	if (screen->keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->before);
}

static void on_key(void *user, uint32_t events)
{
	struct screen *screen = user;
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	if (n <= 0 || memchr(keys, 'q', (size_t)n))
		stop(screen, 0);
}

static void on_end_signal(void *user, int signo, pid_t sender)
{
	stop(user, signo);
}

/* Ctrl-Z: the shell gets its terminal back until the program goes on. */
static void on_suspend(void *user, int signo, pid_t sender)
{
	struct screen *screen = user;

	leave(screen);
	raise(SIGSTOP);
	enter(screen);
	screen_draw(screen);
}

static void on_resize(void *user, int signo, pid_t sender)
{
	screen_draw(user);
}

static int add_signals(struct screen *screen, struct error *err)
{
	static const struct {
		int signo;
		loop_signal_f fn;
		bool is_of_terminal;
	} signals[] = {
		{SIGINT, on_end_signal, false}, {SIGTERM, on_end_signal, false},
		{SIGHUP, on_end_signal, false}, {SIGTSTP, on_suspend, true},
		{SIGWINCH, on_resize, true},
	};

	for (size_t i = 0; i < LENGTH(signals); i++) {
		int r = !signals[i].is_of_terminal || screen->terminal
				? loop_signal_add(screen->loop,
						  signals[i].signo,
						  signals[i].fn, screen, err)
				: 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int add_keys(struct screen *screen, struct error *err)
{
	if (!screen->config.keys || !screen->terminal ||
	    tcgetattr(STDIN_FILENO, &screen->before) < 0)
		return 0;
	return loop_fd_add(&screen->keys, screen->loop, STDIN_FILENO, EPOLLIN,
			   on_key, screen, err);
}

int screen_create(struct screen **out, struct loop *loop,
		  const struct screen_config *config, struct error *err)
{
	CLEANUP(screen_destroy)
	struct screen *screen = calloc(1, sizeof(*screen));
	int r;

	if (!screen)
		return error_set(err, -ENOMEM, "out of memory");
	screen->config = *config;
	screen->loop = loop;
	r = fd_writer_create(&screen->out, loop, STDOUT_FILENO, on_room, screen,
			     err);
	screen->terminal =
		r == 0 && !config->lines && screen_is_terminal(config->term);
	if (r == 0)
		r = add_signals(screen, err);
	if (r == 0)
		r = add_keys(screen, err);
	if (r < 0)
		return r;
	enter(screen);
	*out = STEAL(screen);
	return 0;
}

struct screen *screen_destroy(struct screen *screen)
{
	if (!screen)
		return NULL;
	leave(screen);
	loop_fd_remove(screen->keys);
	fd_writer_destroy(screen->out);
	free(screen);
	return NULL;
}

int screen_check(const struct screen *screen, struct error *err)
{
	return fd_writer_check(screen->out, err);
}
