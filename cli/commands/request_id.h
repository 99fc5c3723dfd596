/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_REQUEST_ID_H
#define CLI_COMMANDS_REQUEST_ID_H

enum { REQUEST_ID_MAX = 33 };

/* An id that no other request has: 0, or -EIO without random numbers. */
int request_id_make(char id[REQUEST_ID_MAX]);

#endif
