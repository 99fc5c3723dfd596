/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/internal.h"

#include <string.h>

/*
 * Reading descriptors without a descriptor library
 *
 * Of descriptor.proto only names are wanted, so its wire format is walked
 * directly: everything looked at is a field with bytes.  Whatever does not
 * parse ends the walk.
 */

/* A file, or an element of one: the field numbers are descriptor.proto's. */
enum kind {
	FILE_SCOPE,
	MESSAGE,
	ENUM,
	SERVICE,
	LEAF,
};

enum {
	SET_FILE = 1,
	FILE_PACKAGE = 2,
	FILE_DEPENDENCY = 3,
	ANY_NAME = 1,
};

/* clang-format off */
static const struct {
	enum kind in;
	unsigned field;
	enum kind is;
} elements[] = {
	{ FILE_SCOPE, 4, MESSAGE }, /* message_type */
	{ FILE_SCOPE, 5, ENUM },    /* enum_type */
	{ FILE_SCOPE, 6, SERVICE }, /* service */
	{ FILE_SCOPE, 7, LEAF },    /* extension */
	{ MESSAGE,    2, LEAF },    /* field */
	{ MESSAGE,    3, MESSAGE }, /* nested_type */
	{ MESSAGE,    4, ENUM },    /* enum_type */
	{ MESSAGE,    6, LEAF },    /* extension */
	{ MESSAGE,    8, LEAF },    /* oneof_decl */
	{ ENUM,       2, LEAF },    /* value */
	{ SERVICE,    2, LEAF },    /* method */
};
/* clang-format on */

/* The next one with bytes; others are skipped. */
static bool next_field(struct span *in, unsigned *number, struct span *value)
{
	struct field field;

	while (fields_next(in, &field) > 0) {
		if (!field.has_bytes)
			continue;
		*number = field.number;
		*value = field.bytes;
		return true;
	}
	return false;
}

static bool next_of(struct span *in, unsigned wanted, struct span *value)
{
	unsigned number;

	while (next_field(in, &number, value))
		if (number == wanted)
			return true;
	return false;
}

bool descriptor_next(struct span *set, struct span *file)
{
	return next_of(set, SET_FILE, file);
}

bool descriptor_next_import(struct span *file, struct span *name)
{
	return next_of(file, FILE_DEPENDENCY, name);
}

bool descriptor_is_named(struct span file, struct span name)
{
	struct span is;

	return next_of(&file, ANY_NAME, &is) && is.size == name.size &&
	       memcmp(is.at, name.at, name.size) == 0;
}

/* What of symbol comes behind this name: "" if nothing, NULL if it is not in
 * this name at all. */
static const char *behind(const char *symbol, struct span name)
{
	if (strncmp(symbol, (const char *)name.at, name.size) != 0)
		return NULL;
	symbol += name.size;
	if (*symbol == '.' && symbol[1])
		return symbol + 1;
	return *symbol ? NULL : symbol;
}

static bool defines(enum kind in, struct span scope, const char *symbol);

static bool is_in(enum kind kind, struct span element, const char *symbol)
{
	struct span copy = element, name;
	const char *rest;

	if (!next_of(&copy, ANY_NAME, &name))
		return false;
	rest = behind(symbol, name);
	if (rest && (!*rest || defines(kind, element, rest)))
		return true;
	/* The values of an enum are its siblings. */
	return kind == ENUM && defines(ENUM, element, symbol);
}

/* As deep as symbol has names. */
static bool defines(enum kind in, struct span scope, const char *symbol)
{
	struct span element;
	unsigned number;

	while (next_field(&scope, &number, &element))
		for (size_t i = 0; i < LENGTH(elements); i++)
			if (elements[i].in == in &&
			    elements[i].field == number &&
			    is_in(elements[i].is, element, symbol))
				return true;
	return false;
}

bool descriptor_defines(struct span file, const char *symbol)
{
	struct span copy = file, package;

	if (next_of(&copy, FILE_PACKAGE, &package) && package.size > 0)
		symbol = behind(symbol, package);
	return symbol && *symbol && defines(FILE_SCOPE, file, symbol);
}
