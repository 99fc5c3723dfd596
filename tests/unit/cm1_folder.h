/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CM1_FOLDER_H
#define TESTS_UNIT_CM1_FOLDER_H

/* A folder in which CM1 would run, and a namelist that is taken. */

#include "apps/adapters.h"
#include "base/cleanup.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] = " &param0\n"
			   " nx     =      60,\n"
			   " ny     =      60,\n"
			   " nz     =      40,\n"
			   " ppnode =       2,\n"
			   " /\n"
			   " &param1\n"
			   " timax  =  3600.0,\n"
			   " rstfrq =   600.0,\n"
			   " /\n"
			   " &param2\n"
			   " irst   =  0, ! off\n"
			   " rstnum =  1,\n"
			   " /\n"
			   " &param16\n"
			   " restart_format   = 1,\n"
			   " restart_filetype = 2,\n"
			   " restart_reset_frqtim = .false.,\n"
			   " /\n";

static void put(const char *name, const char *text)
{
	FILE *f = fopen(below(name), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		printf("# cannot write %s\n", name);
}

static inline const char *content(const char *name)
{
	static char text[2048];
	FILE *f = fopen(below(name), "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* The text with one piece replaced. */
static inline const char *changed(const char *text, const char *from,
				  const char *to)
{
	static char out[2][2048];
	static int turn;
	const char *at = strstr(text, from);

	turn = !turn;
	strcpy(stpcpy(mempcpy(out[turn], text, (size_t)(at - text)), to),
	       at + strlen(from));
	return out[turn];
}

static const char *const command[] = {"cm1.exe", "-x", NULL};

static struct adapter_app app_here(void)
{
	return (struct adapter_app){
		.command = command, .dir = folder, .checkpoint_dir = folder};
}

#endif
