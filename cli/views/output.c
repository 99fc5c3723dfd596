/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/output.h"

#include <stdarg.h>

int output_fail(const struct output *output, int code, const char *fmt, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	output->failure(code, sentence);
	return code;
}
