/* SPDX-License-Identifier: Apache-2.0 */
#include "base/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int address_split(char *text, const char **host, const char **port)
{
	char *colon = strrchr(text, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!colon || colon == text || digits == 0 || digits > 5 ||
	    colon[1 + digits] || atoi(colon + 1) > 65535)
		return -EINVAL;
	*colon = '\0';
	*host = text;
	*port = colon + 1;
	if (text[0] == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		*host = text + 1;
	}
	return **host ? 0 : -EINVAL;
}
