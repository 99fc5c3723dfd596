/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/unconfirmed.h"

#include <errno.h>
#include <stdlib.h>

struct kept {
	struct list link;
	uint64_t number;
	const ProtobufCMessageDescriptor *type;
	size_t size;
	uint8_t bytes[];
};

static struct kept *kept_of(struct list *link)
{
	return CONTAINER(link, struct kept, link);
}

static void drop(struct unconfirmed *list, struct kept *kept)
{
	list_remove(&kept->link);
	list->n--;
	list->bytes -= kept->size;
	free(kept);
}

void unconfirmed_init(struct unconfirmed *list)
{
	*list = (struct unconfirmed){0};
	list_init(&list->kept);
}

void unconfirmed_clear(struct unconfirmed *list)
{
	unconfirmed_confirm(list, list->last);
	unconfirmed_init(list);
}

uint64_t unconfirmed_next(const struct unconfirmed *list)
{
	return list->last + 1;
}

int unconfirmed_keep(struct unconfirmed *list, const ProtobufCMessage *message,
		     struct error *err)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	struct kept *kept;

	if (list->is_full || list->n == UNCONFIRMED_MAX ||
	    size > UNCONFIRMED_BYTES_MAX - list->bytes) {
		list->is_full = true;
		return error_set(err, -ENOBUFS,
				 "%zu messages of %zu bytes were not "
				 "confirmed, and no more can be kept",
				 list->n, list->bytes);
	}
	kept = malloc(sizeof(*kept) + size);
	if (!kept) {
		list->is_full = true;
		return error_set(err, -ENOMEM, "out of memory");
	}
	kept->number = ++list->last;
	kept->type = message->descriptor;
	kept->size = size;
	protobuf_c_message_pack(message, kept->bytes);
	list_append(&list->kept, &kept->link);
	list->n++;
	list->bytes += size;
	return 0;
}

bool unconfirmed_has_room(const struct unconfirmed *list)
{
	return !list->is_full && list->n <= UNCONFIRMED_MAX / 2 &&
	       list->bytes <= UNCONFIRMED_BYTES_MAX / 2;
}

void unconfirmed_confirm(struct unconfirmed *list, uint64_t number)
{
	list_for_each (at, &list->kept)
		if (kept_of(at)->number <= number)
			drop(list, kept_of(at));
}

int unconfirmed_resend(struct unconfirmed *list,
		       void (*send)(void *user,
				    const ProtobufCMessage *message),
		       void *user, struct error *err)
{
	list_for_each (at, &list->kept) {
		const struct kept *kept = kept_of(at);
		ProtobufCMessage *message = protobuf_c_message_unpack(
			kept->type, NULL, kept->size, kept->bytes);

		if (!message) {
			list->is_full = true;
			return error_set(err, -ENOMEM, "out of memory");
		}
		send(user, message);
		protobuf_c_message_free_unpacked(message, NULL);
	}
	return 0;
}

bool unconfirmed_take(uint64_t *taken, uint64_t number)
{
	if (number == 0)
		return true;
	if (number <= *taken)
		return false;
	*taken = number;
	return true;
}
