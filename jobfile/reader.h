/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_READER_H
#define JOBFILE_READER_H

/*
 * From a YAML tree to a struct jobfile, by the schema
 *
 * reader.c walks mappings and finds the key of each value; values.c and
 * scalars.c read the values.  Both know types only; what one key has to do with
 * another is the business of jobfile.c.
 */

#include "jobfile/schema.h"

#include <yaml.h>

struct reader {
	const char *path; /* of the job file, for sentences */
	yaml_document_t *document;
	struct jobfile *job;
	struct error *err;
	FILE *mend; /* see jobfile_read_mending(); NULL: nowhere */
	unsigned lines[SCHEMA_KEYS]; /* where the key is; 0: it is not */
	unsigned step_lines[SCHEDULE_MAX];
};

/* A value and where it is. */
struct jobfile_entry {
	const struct schema_key *key;
	const char *shown; /* "scale.schedule[2].at" */
	yaml_node_t *node;
	void *base; /* the struct that the key's member is in */
};

/* As jobfile_parse() and jobfile_read_mending(). */
int jobfile_parse_mending(struct jobfile **out, const char *path,
			  const char *text, size_t size, const char *dir,
			  FILE *mend, struct error *err);

/* Reads the members of a section, or of the root if section is "". */
int reader_section(struct reader *reader, const char *section,
		   const char *shown, unsigned line, yaml_node_t *node,
		   void *base);

/* Sets what was not given and has a default. */
int reader_defaults(struct reader *reader);

unsigned reader_line(const struct reader *reader, const char *path);

/* "<path>:<line>: <shown>: <what is wrong>"; -EINVAL. */
int reader_refuse(struct reader *reader, unsigned line, const char *shown,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same with "; <what the key wants>". */
int reader_refuse_value(struct reader *reader,
			const struct jobfile_entry *entry, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int reader_no_memory(struct reader *reader);

/* Zeroed memory that lives as long as the job; NULL if there is none. */
void *jobfile_alloc(struct jobfile *job, size_t size);

/* Reads one value of any type into its member. */
int value_read(struct reader *reader, const struct jobfile_entry *entry);

/* The same of a type that may be written as a text. */
int value_read_text(struct reader *reader, const struct jobfile_entry *entry,
		    const char *text);

int value_number(struct reader *reader, const struct jobfile_entry *entry,
		 const char *text, unsigned *out);

/* A copy that lives as long as the job. */
int value_keep(struct reader *reader, const char *text, const char **out);

void *value_member(const struct jobfile_entry *entry);

/* Text as sentences show it: short and without control characters. */
const char *value_show(const char *text, char *out, size_t n);

#endif
