/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/lookup.h"

#include <stdlib.h>

struct lookup lookup_of_environment(void)
{
	return (struct lookup){
		.state_root = getenv("BELLOWS_STATE"),
		.runtime_dir = getenv("XDG_RUNTIME_DIR"),
		.state_home = getenv("XDG_STATE_HOME"),
		.home = getenv("HOME"),
		.tmpdir = getenv("TMPDIR"),
	};
}
