/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/polled.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

bool polled_address(const char *text, char out[POLLED_ADDRESS_MAX])
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, text, &four) == 1)
		return inet_ntop(AF_INET, &four, out, POLLED_ADDRESS_MAX);
	if (inet_pton(AF_INET6, text, &six) != 1)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&six))
		return inet_ntop(AF_INET, &six.s6_addr[12], out,
				 POLLED_ADDRESS_MAX);
	return inet_ntop(AF_INET6, &six, out, POLLED_ADDRESS_MAX);
}

void polled_name(const char *address, char name[MEMBER_NAME_MAX])
{
	snprintf(name, MEMBER_NAME_MAX, "%s", address);
	for (char *at = name; *at; at++)
		if (*at == ':')
			*at = '-';
}

/* The living executor of that name, or else its last incarnation. */
static int find_last(const struct ledger *ledger, const char *name)
{
	int last = member_find(ledger, name);

	if (last != NO_MEMBER)
		return last;
	for (int i = 0; i < ledger->n; i++)
		if (strcmp(ledger->members[i].name, name) == 0 &&
		    (last == NO_MEMBER ||
		     ledger->members[i].incarnation >
			     ledger->members[last].incarnation))
			last = i;
	return last;
}

int polled_find_any(const struct ledger *ledger, const char *name_or_address)
{
	char address[POLLED_ADDRESS_MAX], name[MEMBER_NAME_MAX];
	int member;

	/* an entry that was forgotten has no name */
	if (!member_all_polled(ledger) || *name_or_address == '\0')
		return NO_MEMBER;
	member = find_last(ledger, name_or_address);
	if (member != NO_MEMBER || !polled_address(name_or_address, address))
		return member;
	polled_name(address, name);
	return find_last(ledger, name);
}

int polled_find(const struct ledger *ledger, const char *name_or_address)
{
	int member = polled_find_any(ledger, name_or_address);

	return member != NO_MEMBER && member_is_alive(&ledger->members[member])
		       ? member
		       : NO_MEMBER;
}

/* An executor does not say which of its lives this is: the next one begins when
 * the last has ended.  Earlier ones may have been forgotten. */
static uint64_t incarnation(const struct ledger *ledger, const char *name)
{
	int last = find_last(ledger, name);

	if (last == NO_MEMBER)
		return 1;
	return ledger->members[last].incarnation +
	       !member_is_alive(&ledger->members[last]);
}

const char *polled_user(void)
{
	const struct passwd *entry = getpwuid(geteuid());

	return entry ? entry->pw_name : "root";
}

int polled_join(struct members *members, const char *text, unsigned slots,
		int *member, bool *again, struct error *err)
{
	const struct ledger *ledger = members_ledger(members);
	char address[POLLED_ADDRESS_MAX], name[MEMBER_NAME_MAX];
	struct introduction executor = {
		.name = name,
		.address = address,
		.machine = address,
		.slots = slots,
		.cores = slots, /* not known */
		.polled = true,
		.silence = POLLED_SILENCE,
	};

	if (!polled_address(text, address))
		return error_set(err, -EINVAL,
				 "nodeIP: '%.64s' is no IPv4 or IPv6 address",
				 text);
	polled_name(address, name);
	*again = polled_find(ledger, name) != NO_MEMBER;
	executor.incarnation = incarnation(ledger, name);
	return members_join(members, &executor, member, err);
}
