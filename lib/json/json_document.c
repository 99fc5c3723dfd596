/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json_document.h"

#include "base/file.h"
#include "json/line_of.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

int json_document_parse(struct json_document *document, const char *path,
			const char *text, size_t size, struct error *err)
{
	const char *end = text;
	cJSON *root = cJSON_ParseWithLengthOpts(text, size, &end, false);

	*document = (struct json_document){.root = root};
	while (root && end < text + size && (unsigned char)*end <= ' ')
		end++;
	if (!root || end < text + size)
		return error_set(err, -EINVAL, "%s:%u: this is not JSON", path,
				 line_of_byte(text, (size_t)(end - text)));
	document->reader = (struct json_reader){path, text, size, root, err};
	return 0;
}

int json_document_read(struct json_document *document, const char *path,
		       size_t most, struct error *err)
{
	struct stat st;
	size_t room, size;
	char *text;
	int r;

	*document = (struct json_document){.root = NULL};
	if (stat(path, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	/* one byte more than is allowed, so that too large a file is seen */
	room = (size_t)st.st_size < most ? (size_t)st.st_size + 1 : most + 1;
	text = malloc(room);
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, room, &size, err);
	if (r == 0 && size > most)
		r = error_set(err, -EINVAL,
			      "%s:1: the file has more than %zu MiB", path,
			      most >> 20);
	if (r == 0)
		r = json_document_parse(document, path, text, size, err);
	document->text = text;
	return r;
}

void json_document_fini(struct json_document *document)
{
	cJSON_Delete(document->root);
	free(document->text);
}
