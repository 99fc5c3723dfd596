/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/stop.h"

#include "base/list.h"
#include "base/machine.h"

/* clang-format off */
static const struct machine_row rows[] = {
	{ STOP_NOT,    STOP_ASKED,         STOP_SAVE   },
	{ STOP_SAVE,   STOP_ASKED,         STOP_CANCEL },
	{ STOP_CANCEL, STOP_ASKED,         STOP_END    },
	{ STOP_END,    STOP_ASKED,         STOP_KILL   },

	{ STOP_NOT,    STOP_ASKED_UNHEARD, STOP_END    },
	{ STOP_SAVE,   STOP_ASKED_UNHEARD, STOP_END    },
	{ STOP_CANCEL, STOP_ASKED_UNHEARD, STOP_END    },
	{ STOP_END,    STOP_ASKED_UNHEARD, STOP_KILL   },

	{ STOP_NOT,    STOP_FAILED,        STOP_END    },
	{ STOP_SAVE,   STOP_FAILED,        STOP_END    },
	{ STOP_CANCEL, STOP_FAILED,        STOP_END    },

	{ STOP_NOT,    STOP_LATE,          STOP_END    },
	{ STOP_SAVE,   STOP_LATE,          STOP_END    },
	{ STOP_CANCEL, STOP_LATE,          STOP_END    },
	{ STOP_END,    STOP_LATE,          STOP_KILL   },
	{ STOP_KILL,   STOP_LATE,          STOP_LEAVE  },
};
/* clang-format on */

bool stop_step(enum stop_level *level, enum stop_event event)
{
	unsigned state = *level;
	bool moved = machine_step(rows, LENGTH(rows), &state, event);

	*level = state;
	return moved;
}
