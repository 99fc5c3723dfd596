/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Checkpoints of GROMACS: one is put together here, word by word as GROMACS
 * 2022 writes it, with one atom
 */

#include "apps/gromacs/cpt.h"
#include "base/cleanup.h"
#include "tests/check.h"

#include <errno.h>
#include <sys/mman.h>

struct file {
	unsigned char bytes[4096];
	size_t n;
	size_t format, atoms, step; /* where they are */
};

static void word(struct file *file, uint32_t value)
{
	for (int i = 24; i >= 0; i -= 8)
		file->bytes[file->n++] = (unsigned char)(value >> i);
}

static void words(struct file *file, size_t n, uint32_t value)
{
	while (n-- > 0)
		word(file, value);
}

static void text(struct file *file, const char *value)
{
	size_t n = strlen(value);

	word(file, (uint32_t)n);
	memcpy(file->bytes + file->n, value, n);
	file->n += (n + 3) / 4 * 4;
}

static void put_output(struct file *file, const char *name, uint32_t position)
{
	text(file, name);
	word(file, 0);
	word(file, position);
	word(file, position);
	words(file, 16, 0xab);
}

static struct file make(uint32_t format)
{
	struct file file = {.n = 0};

	word(&file, 171817);
	text(&file, "2022.5");
	words(&file, 3, 0); /* three texts without length */
	text(&file, "/usr/bin/gmx_mpi");
	text(&file, "Sat Nov 21 17:03:19 2026\n");
	file.format = file.n;
	word(&file, format);
	word(&file, 0);
	text(&file, "host");
	file.atoms = file.n;
	word(&file, 1);
	words(&file, 5, 0);
	word(&file, 2); /* part */
	file.step = file.n;
	word(&file, 1); /* step, of eight bytes */
	word(&file, 380);
	words(&file, 40, 0x3f800000); /* the state */
	word(&file, 2);
	put_output(&file, "run/md.log", 22886);
	put_output(&file, "traj.trr", 121980);
	word(&file, 0);
	word(&file, 171819);
	return file;
}

static int file_open(const struct file *file, size_t n)
{
	int fd = memfd_create("cpt", MFD_CLOEXEC);

	if (fd < 0 || write(fd, file->bytes, n) != (ssize_t)n)
		printf("# cannot write a checkpoint\n");
	return fd;
}

static int read_cut(const struct file *file, size_t n, struct cpt *out,
		    struct error *err)
{
	CLEANUP(close) int fd = file_open(file, n);

	return cpt_read(out, fd, "c", err);
}

static int read_it(const struct file *file, struct cpt *out, struct error *err)
{
	return read_cut(file, file->n, out, err);
}

static void a_whole_checkpoint_tells_its_step(void)
{
	for (uint32_t format = 14; format <= 23; format++) {
		struct file file = make(format);
		struct cpt cpt;
		struct error err;

		CHECK(read_it(&file, &cpt, &err) == 0);
		CHECK(cpt.step == (UINT64_C(1) << 32) + 380);
		CHECK(cpt.part == 2 && cpt.bytes == file.n);
	}
}

static void the_mark_differs_for_another_step_and_another_moment(void)
{
	struct file file = make(22);
	struct cpt first, again, later;
	CLEANUP(close) int fd = file_open(&file, file.n);

	CHECK(cpt_read(&first, fd, "c", NULL) == 0);
	CHECK(cpt_read(&again, fd, "c", NULL) == 0);
	CHECK(first.mark == again.mark);
	CHECK(pwrite(fd, "\x7f", 1, (off_t)file.step + 7) == 1);
	CHECK(cpt_read(&later, fd, "c", NULL) == 0);
	CHECK(later.mark != first.mark);
}

static void each_cut_is_refused(void)
{
	struct file file = make(22);

	for (size_t n = 0; n < file.n; n++) {
		struct cpt cpt;
		struct error err = {""};

		CHECK(read_cut(&file, n, &cpt, &err) == -EBADMSG);
		CHECK(err.text[0] == 'c');
	}
}

static void a_longer_file_is_refused(void)
{
	struct file file = make(22);
	struct cpt cpt;
	struct error err;

	file.n += 4;
	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "checkpoint c is damaged: with 488 bytes for 1 "
			     "atoms it does not end as it should");
}

/* Nothing seals it, but none may be read for what it is not, or out of
 * bounds. */
static void flipped_bytes_are_refused_or_harmless(void)
{
	for (size_t at = 0; at < make(22).n; at++)
		for (int bit = 0; bit < 8; bit++) {
			struct file file = make(22);
			struct error err;
			struct cpt cpt;
			int r;

			file.bytes[at] ^= (unsigned char)(1 << bit);
			r = read_it(&file, &cpt, &err);
			CHECK(r == 0 || r == -EBADMSG);
			if (at < 4 || at >= file.n - 4)
				CHECK(r < 0);
			if (r == 0)
				CHECK(cpt.step <= INT64_MAX && cpt.part > 0);
		}
}

static void what_is_wrong_is_said(void)
{
	struct file file = make(24);
	struct cpt cpt;
	struct error err;

	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "checkpoint c is of GROMACS 2022.5 in format 24; "
			     "formats 14 to 23 are known");
	file = make(22);
	file.bytes[3] = 0;
	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "c is not a checkpoint of GROMACS");
	file = make(22);
	file.bytes[4] = 1; /* a text of 16 MiB */
	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK_TEXT(err.text,
		   "checkpoint c is damaged: its head cannot be read");
	file = make(22);
	file.bytes[file.step] = 0x80;
	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "checkpoint c is damaged: its sizes or its step "
			     "cannot be");
	file = make(22);
	file.bytes[file.atoms] = 0x10; /* 268 million */
	CHECK(read_it(&file, &cpt, &err) == -EBADMSG);
	CHECK(strstr(err.text, "does not end as it should"));
}

static void the_position_in_the_log_is_found(void)
{
	struct file file = make(22);
	CLEANUP(close) int fd = file_open(&file, file.n);
	off_t position = 0;

	CHECK(cpt_log_position(&position, fd, "md.log", NULL) == 0);
	CHECK(position == 22886);
	CHECK(cpt_log_position(&position, fd, "d.log", NULL) == 1);
	CHECK(cpt_log_position(&position, fd, "", NULL) == 1);
}

RUN_TESTS(TEST(a_whole_checkpoint_tells_its_step),
	  TEST(the_mark_differs_for_another_step_and_another_moment),
	  TEST(each_cut_is_refused), TEST(a_longer_file_is_refused),
	  TEST(flipped_bytes_are_refused_or_harmless),
	  TEST(what_is_wrong_is_said), TEST(the_position_in_the_log_is_found))
