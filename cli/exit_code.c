/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exit_code.h"

#include "jobfile/exit.h"

#include <errno.h>

int exit_code_of(int r)
{
	return r == -EINVAL || r == -ENOKEY  ? EXIT_USAGE
	       : r == -ENOMEM                ? EXIT_INTERNAL
	       : r == -EPERM || r == -ENOSPC ? EXIT_SYSTEM
	       : r == -EBUSY                 ? EXIT_DECLINED
					     : EXIT_UNREACHABLE;
}

int exit_code_of_making(int r)
{
	return r == -EINVAL      ? EXIT_USAGE
	       : r == -ENOMEM    ? EXIT_INTERNAL
	       : r == -ECANCELED ? EXIT_CANCELLED
	       : r == -EEXIST || r == -EACCES || r == -EDQUOT
		       ? EXIT_SYSTEM
		       : EXIT_UNREACHABLE;
}
