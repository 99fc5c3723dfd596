/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/placement.h"

#include "coordinator/launch/mpiexec.h"
#include "core/binding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKFILE_WORDS_MAX = 63 }; /* "ALIAS slot=LIST" */

static const struct topology *topology_of(const struct ledger *ledger,
					  const struct layout *layout,
					  unsigned rank)
{
	return ledger->members[layout_find(layout, rank)].topology;
}

/* ---- the words of a rankfile ---- */

/* The package that the set is all of, or -1.  mpiexec knows those that the
 * affinity leaves whole alone. */
static int64_t find_package(const struct topology *topology,
			    const struct processor_set *set)
{
	for (unsigned i = 0; i < topology->n_domains; i++) {
		const struct topology_domain *at = &topology->domains[i];
		const struct processor_set all = topology_unit_set(
			topology, TOPOLOGY_PACKAGE, at->package);

		if (topology->knows_packages && at->whole &&
		    processor_set_equals(&all, set))
			return at->package;
	}
	return -1;
}

/* "127.1.0.1 slot=0-1"; false: it cannot be said. */
static bool rank_words(char words[RANKFILE_WORDS_MAX + 1],
		       const struct processor_set *set, int member,
		       const struct topology *topology)
{
	char alias[ALIAS_MAX], list[PROCESSOR_SET_TEXT_MAX];
	int64_t package;
	int n;

	mpiexec_alias(alias, member);
	processor_set_text(set, list);
	n = snprintf(words, RANKFILE_WORDS_MAX + 1, "%s slot=%s", alias, list);
	if (n <= RANKFILE_WORDS_MAX)
		return true;
	package = find_package(topology, set);
	snprintf(words, RANKFILE_WORDS_MAX + 1, "%s slot=%lld:*", alias,
		 (long long)package);
	return package >= 0;
}

static int check_words(const struct placement *placement,
		       const struct ledger *ledger, const struct layout *layout,
		       struct error *why)
{
	char words[RANKFILE_WORDS_MAX + 1], list[PROCESSOR_SET_TEXT_MAX];

	for (unsigned i = 0; i < layout->ranks; i++)
		if (!rank_words(words, &placement->planned[i],
				layout_find(layout, i),
				topology_of(ledger, layout, i)))
			return error_set(
				why, -E2BIG,
				"processors %.100s of rank %u are more than a "
				"line of mpiexec's rankfile takes",
				processor_set_text(&placement->planned[i],
						   list),
				i);
	return 0;
}

int placement_write_rankfile(const struct placement *placement,
			     const char *path, const struct ledger *ledger,
			     const struct layout *layout, struct error *err)
{
	CLEANUP(fclose) FILE *f = fopen(path, "we");
	char words[RANKFILE_WORDS_MAX + 1];

	if (!f)
		return error_errno(err, "%s", path);
	for (unsigned i = 0; i < layout->ranks; i++) {
		rank_words(words, &placement->planned[i],
			   layout_find(layout, i),
			   topology_of(ledger, layout, i));
		fprintf(f, "rank %u=%s\n", i, words);
	}
	return fflush(f) == 0 ? 0 : error_errno(err, "%s", path);
}

/* ---- the plan ---- */

static enum binding_unit unit_of(const struct jobfile *job)
{
	switch (job->bind) {
	case BIND_NONE:
	case BIND_CORE:
		break;
	case BIND_SOCKET:
		return BINDING_SOCKET;
	case BIND_NUMA:
		return BINDING_NUMA;
	}
	return BINDING_CORE;
}

int placement_plan(struct placement *placement, const struct jobfile *job,
		   const struct ledger *ledger, const struct layout *layout,
		   struct error *err)
{
	enum binding_unit unit = unit_of(job);
	enum binding_result result;
	struct error why;

	if (job->bind == BIND_NONE)
		return 0;
	placement->ranks = layout->ranks;
	placement->planned = calloc(layout->ranks, sizeof(*placement->planned));
	if (!placement->planned)
		return error_set(err, -ENOMEM, "out of memory");
	result = binding_plan(placement->planned, layout, ledger, unit, &why);
	if (result != BINDING_UNKNOWN &&
	    check_words(placement, ledger, layout, &why) < 0)
		result = BINDING_UNKNOWN;
	if (result == BINDING_DONE)
		return 0;
	if (job->bind_strict)
		return error_set(err, -ENODEV,
				 "ranks cannot be bound to a %s each: %s",
				 binding_unit_name(unit), why.text);
	snprintf(placement->trouble, sizeof(placement->trouble),
		 "%s not bound to a %s each: %.400s",
		 result == BINDING_PARTLY ? "some ranks are" : "the ranks are",
		 binding_unit_name(unit), why.text);
	if (result == BINDING_UNKNOWN)
		placement_fini(placement);
	return 0;
}

void placement_fini(struct placement *placement)
{
	free(placement->planned);
	placement->planned = NULL;
}

/* ---- read back ---- */

int placement_compare(const struct placement *placement, unsigned rank,
		      const char *found, struct error *err)
{
	char list[PROCESSOR_SET_TEXT_MAX];
	struct processor_set set;

	if (!placement->planned)
		return 0;
	processor_set_text(&placement->planned[rank], list);
	if (!*found)
		return error_set(err, -EXDEV,
				 "which processors rank %u is bound to is not "
				 "known, planned was %.200s",
				 rank, list);
	if (processor_set_parse(&set, found) &&
	    processor_set_equals(&set, &placement->planned[rank]))
		return 0;
	return error_set(err, -EXDEV,
			 "rank %u is bound to processor%s %.200s, planned was "
			 "%.200s",
			 rank, strpbrk(found, "-,") ? "s" : "", found, list);
}

unsigned placement_text(const struct placement *placement, unsigned from,
			char *text, size_t n)
{
	const struct processor_set *planned = placement->planned;
	char list[PROCESSOR_SET_TEXT_MAX], range[32];
	size_t at = 0;

	*text = '\0';
	if (!planned)
		return placement->ranks;
	while (from < placement->ranks) {
		unsigned to = from + 1;
		int more;

		while (to < placement->ranks &&
		       processor_set_equals(&planned[to], &planned[from]))
			to++;
		snprintf(range, sizeof(range), "-%u", to - 1);
		more = snprintf(text + at, n - at, "%s%u%s=%s", at ? " " : "",
				from, to - 1 > from ? range : "",
				processor_set_text(&planned[from], list));
		if (at > 0 && at + (size_t)more >= n) {
			text[at] = '\0';
			break;
		}
		at += (size_t)more < n - at ? (size_t)more : n - at - 1;
		from = to;
	}
	return from;
}
