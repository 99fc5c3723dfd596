/* SPDX-License-Identifier: Apache-2.0 */

/*
 * An adapter that is loaded: parint under the name NAME, and one thing wrong
 *
 * Which one is said by the compiler's arguments, see tests/meson.build.  With
 * none of them it is good, and calls every function that adapters are given.
 */

#include "apps/adapter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef NAME
#define NAME "some"
#endif
#ifndef ABI
#define ABI ADAPTER_ABI
#endif
#ifndef SYMBOL
#define SYMBOL bellows_adapter
#endif
#ifndef SAVE
#define SAVE save
#endif
#ifndef LOG
#define LOG NULL
#endif
#ifndef AT_LOAD
#define AT_LOAD
#endif
#ifndef AT_UNLOAD
#define AT_UNLOAD
#endif

__attribute__((constructor)) static void begin(void)
{
	AT_LOAD;
}

__attribute__((destructor)) static void end(void)
{
	AT_UNLOAD;
}

static const struct adapter *parint(void)
{
	return adapter_find("parint");
}

static int check(const struct adapter_app *app, struct error *err)
{
	static const char *const keys[] = {"speed", NULL};
	const char *speed = adapter_setting(app, "speed");
	char room[64], *text = room;
	size_t n = sizeof(room);
	int r = adapter_check_settings(app, keys, err);

	if (r < 0)
		return error_wrap(err, r, NAME);
	if (speed && access(speed, F_OK) < 0)
		return error_errno(
			err, "speed %s",
			adapter_replace("at {checkpoint}", speed, &text, &n));
	return parint() ? 0 : error_set(err, -ENOENT, "there is no parint");
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	return parint()->command(app, restart, argv, text, text_size, err);
}

__attribute__((unused)) static enum save_kind
save(const struct adapter_app *app, int *signo)
{
	return parint()->save(app, signo);
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	return parint()->checkpoint(app, out, err);
}

__attribute__((unused)) static int put_log(const struct adapter_app *app,
					   char *text, size_t text_size,
					   struct error *err)
{
	snprintf(text, text_size, "%s/some.log", app->dir);
	return 0;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	return parint()->on_line(app, line, facts);
}

extern const struct adapter SYMBOL;
const struct adapter SYMBOL = {
	.abi = ABI,
	.name = NAME,
	.has_settings = true,
	.check = check,
	.command = command,
	.save = SAVE,
	.checkpoint = checkpoint,
	.log = LOG,
	.on_line = on_line,
};
