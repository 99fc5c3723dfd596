/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

/* Splits HOST:PORT, as 127.0.0.1:7000 or [::1]:7000, where it stands; the
 * brackets are gone.  What the host is, is not looked at.  -EINVAL if it is
 * none, and then text may be spoilt too. */
int address_split(char *text, const char **host, const char **port);

#endif
