/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The settings of the configurations that CM1's release 21 is shipped with, as
 * far as they matter here.  Each has ppnode = 128, restart_format = 1,
 * restart_filetype = 2, run_time = -999.9, restart_reset_frqtim = .true. and
 * azimavgfrq = 3600.
 */

#include "base/list.h"
#include "tests/unit/cm1_folder.h"

#include <errno.h>

/* wrong: why CM1 does not run it with MPI, or what has to be changed beside
 * restart_reset_frqtim. */
static const struct {
	const char *name;
	int nx, ny, timeformat;
	double dtl, timax, tapfrq, rstfrq;
	int adapt_dt, psolver, axisymm;
	const char *dodomaindiag;
	double diagfrq;
	const char *doazimavg, *wrong;
} stock[] = {
	{"cpm_RadConvEquil", 192, 192, 4, 15.0, 8640000.0, 86400.0, 864000.0, 1,
	 3, 0, ".true.", 3600.0, ".false.", ""},
	{"dns_RayleighBenard", 96, 96, 1, 1.0, 6000.0, 1000.0, -3600.0, 0, 3, 0,
	 ".true.", 100.0, ".false.", "rstfrq = 1000.0,"},
	{"hurricane_3d_cpm", 384, 384, 4, 10.0, 691200.0, 86400.0, 345600.0, 1,
	 3, 0, ".false.", 60.0, ".true.", ""},
	{"hurricane_axisymmetric", 192, 1, 4, 10.0, 691200.0, 3600.0, 345600.0,
	 0, 3, 1, ".false.", 60.0, ".false.", "axisymm is 1, which"},
	{"hurricane_les_within_mm", 1144, 1144, 3, 5.0, 691200.0, 10800.0,
	 86400.0, 1, 3, 0, ".false.", 60.0, ".true.", ""},
	{"les_ConvBoundLayer", 128, 128, 2, 1.5, 21600.0, 3600.0, 10800.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_ConvPBL_moisture", 512, 512, 2, 5.0, 46800.0, 300.0, 21600.0, 1,
	 7, 0, ".true.", 300.0, ".false.", ""},
	{"les_HurrBoundLayer", 128, 128, 2, 1.0, 21600.0, 3600.0, 10800.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_HurrCoast", 600, 200, 2, 0.5, 14400.0, 300.0, 7200.0, 1, 2, 0,
	 ".false.", 60.0, ".false.", ""},
	{"les_ShallowCu", 64, 64, 2, 3.0, 21600.0, 3600.0, 10800.0, 1, 3, 0,
	 ".true.", 60.0, ".false.", ""},
	{"les_ShallowCuLand", 96, 96, 2, 20.0, 54000.0, 3600.0, 21600.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_ShallowCuPrecip", 128, 128, 2, 5.0, 86400.0, 3600.0, 21600.0, 1,
	 3, 0, ".true.", 60.0, ".false.", ""},
	{"les_ShearBoundLayer", 96, 96, 2, 1.0, 21600.0, 3600.0, 10800.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_StableBoundLayer", 128, 128, 2, 1.0, 32400.0, 3600.0, 10800.0, 1,
	 2, 0, ".true.", 60.0, ".false.", ""},
	{"les_StratoCuDrizzle", 128, 128, 2, 5.0, 21600.0, 3600.0, 7200.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_StratoCuNoPrecip", 96, 96, 2, 5.0, 21600.0, 3600.0, 7200.0, 1, 3,
	 0, ".true.", 60.0, ".false.", ""},
	{"les_ib_windtunnel", 500, 200, 1, 2e-5, 0.5, 0.01, 0.5, 1, 6, 0,
	 ".false.", 0.01, ".false.", ""},
	{"nh_mountain_waves", 100, 1, 1, 2.0, 2160.0, 216.0, -3600.0, 0, 3, 0,
	 ".false.", 60.0, ".false.", "ny is 1, which"},
	{"scm_HurrBoundLayer", 1, 1, 2, 1.0, 21600.0, 300.0, 10800.0, 0, 3, 0,
	 ".true.", 60.0, ".false.", "nx is 1, which"},
	{"scm_HurrBoundLayer_tqnudge", 1, 1, 2, 1.0, 21600.0, 300.0, 10800.0, 0,
	 3, 0, ".true.", 60.0, ".false.", "nx is 1, which"},
	{"sea_breeze", 201, 1, 2, 15.0, 43200.0, 1800.0, -3600.0, 0, 3, 0,
	 ".false.", 60.0, ".false.", "ny is 1, which"},
	{"squall_line", 300, 60, 2, 6.0, 10800.0, 900.0, -3600.0, 0, 3, 0,
	 ".false.", 60.0, ".false.", "rstfrq = 900.0,"},
	{"supercell", 120, 120, 2, 6.0, 7200.0, 900.0, -3600.0, 0, 3, 0,
	 ".false.", 60.0, ".false.", "rstfrq = 900.0,"},
};

static const char *namelist(size_t i, double rstfrq, const char *reset)
{
	static char text[2048];

	snprintf(text, sizeof(text),
		 " &param0\n nx = %d,\n ny = %d,\n ppnode = 128,\n"
		 " timeformat = %d,\n /\n"
		 " &param1\n dtl = %g,\n timax = %.1f,\n run_time = -999.9,\n"
		 " tapfrq = %.2f,\n rstfrq = %.1f,\n /\n"
		 " &param2\n adapt_dt = %d,\n irst = 0,\n rstnum = 1,\n"
		 " psolver = %d,\n axisymm = %d,\n /\n"
		 " &param14\n dodomaindiag = %s,\n diagfrq = %.2f,\n /\n"
		 " &param15\n doazimavg = %s,\n azimavgfrq = 3600.0,\n /\n"
		 " &param16\n restart_format = 1,\n restart_filetype = 2,\n"
		 " restart_reset_frqtim = %s,\n /\n",
		 stock[i].nx, stock[i].ny, stock[i].timeformat, stock[i].dtl,
		 stock[i].timax, stock[i].tapfrq, rstfrq, stock[i].adapt_dt,
		 stock[i].psolver, stock[i].axisymm, stock[i].dodomaindiag,
		 stock[i].diagfrq, stock[i].doazimavg, reset);
	return text;
}

/* The file as the patch makes it: all its lines are replacements. */
static const char *patched(const char *text, const char *patch)
{
	static char out[2048];
	size_t size = 0;

	for (unsigned line = 1; *text; line++) {
		size_t n = strcspn(text, "\n") + 1;
		char head[32];
		const char *at;

		snprintf(head, sizeof(head), "\n@@ -%u +%u @@\n", line, line);
		at = strstr(patch, head);
		if (at) {
			at = strstr(at, "\n+") + 2;
			size += (size_t)snprintf(out + size, sizeof(out) - size,
						 "%.*s\n",
						 (int)strcspn(at, "\n"), at);
		} else {
			size += (size_t)snprintf(out + size, sizeof(out) - size,
						 "%.*s", (int)n, text);
		}
		text += n;
	}
	return out;
}

static const char *mend(const struct adapter_app *app)
{
	static char text[4096];
	FILE *to = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	if (to) {
		adapter_cm1.mend(app, to);
		fclose(to);
	}
	return text;
}

static bool is_run_with_mpi(size_t i)
{
	return !strstr(stock[i].wrong, " is 1, which");
}

static void each_is_taken_once_the_patch_is_applied(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir);
	for (size_t i = 0; i < LENGTH(stock); i++) {
		const char *text = namelist(i, stock[i].rstfrq, ".true.");
		const char *patch;

		if (!is_run_with_mpi(i))
			continue;
		put("namelist.input", text);
		CHECK(adapter_cm1.check(&app, &err) == -EINVAL);
		patch = mend(&app);
		CHECK(strstr(patch, "\n+ restart_reset_frqtim = .false.,\n"));
		CHECK(!*stock[i].wrong == !strstr(patch, "\n+ rstfrq = "));
		put("namelist.input", patched(text, patch));
		CHECK(adapter_cm1.check(&app, &err) == 0);
		CHECK(adapter_cm1.accepts(&app, 2, &err) == 0);
		CHECK(adapter_cm1.accepts(&app, 8, &err) == 0);
		CHECK(*stock[i].wrong == '\0' ||
		      strstr(content("namelist.input"), stock[i].wrong));
	}
}

static void what_cm1_does_not_run_with_mpi_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;
	int n = 0;

	CHECK(dir);
	for (size_t i = 0; i < LENGTH(stock); i++) {
		if (is_run_with_mpi(i))
			continue;
		n++;
		put("namelist.input", namelist(i, stock[i].rstfrq, ".true."));
		CHECK(adapter_cm1.check(&app, &err) == -EINVAL);
		CHECK(strstr(err.text, stock[i].wrong));
		CHECK_TEXT(mend(&app), "");
	}
	CHECK(n == 5);
}

RUN_TESTS(TEST(each_is_taken_once_the_patch_is_applied),
	  TEST(what_cm1_does_not_run_with_mpi_is_refused))
