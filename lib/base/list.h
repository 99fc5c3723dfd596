/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

/*
 * Doubly linked lists, embedded in their members
 *
 * A head is a node that points at itself when the list is empty.  A node that
 * is in no list points at itself too, so list_remove() may be repeated.
 */

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define CONTAINER(node, type, member)                                          \
	((type *)(void *)((char *)(node)-offsetof(type, member)))

/* The node at hand may be removed within the body. */
#define list_for_each(at, head)                                                \
	for (struct list *at = (head)->next, *at##_next_ = at->next;           \
	     at != (head); at = at##_next_, at##_next_ = at->next)

static inline void list_init(struct list *node)
{
	node->prev = node->next = node;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

/* Puts node, which is in no list, behind the last member. */
static inline void list_append(struct list *head, struct list *node)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

/* Moves all members of the list `from` to the list `to`, whatever that was. */
static inline void list_take(struct list *to, struct list *from)
{
	list_init(to);
	if (list_is_empty(from))
		return;
	*to = *from;
	to->prev->next = to->next->prev = to;
	list_init(from);
}

static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#endif
