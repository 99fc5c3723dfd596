/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

/* Exit statuses of failures: r is -errno, the statuses are of jobfile/exit.h.
 */

/* A coordinator or a scheduler could not be found, reached or asked, or has
 * refused. */
int exit_code_of(int r);

/* A job could not be made in a cluster. */
int exit_code_of_making(int r);

#endif
