/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "proto/reflection.pb-c.h"
#include "rpc/internal.h"

#include <string.h>

typedef Grpc__Reflection__V1__ServerReflectionRequest request_t;
typedef Grpc__Reflection__V1__ServerReflectionResponse response_t;

#define ASKS(what)                                                             \
	GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##what
#define TELLS(what)                                                            \
	GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##what

/* What lists beside the program's own: v1alpha is the same service under
 * another path, and no file describes it. */
static const char *const own_services[] = {
	"grpc.health.v1.Health",
	"grpc.reflection.v1.ServerReflection",
};

static void send_answer(struct rpc_call *call, const request_t *request,
			response_t *answer)
{
	answer->valid_host = request->host;
	answer->original_request = (request_t *)request;
	if (rpc_call_send(call, &answer->base) > 0)
		rpc_call_pause(call, true);
}

static void send_error(struct rpc_call *call, const request_t *request,
		       enum rpc_code code, const char *text)
{
	response_t answer =
		GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__ErrorResponse error =
		GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;

	error.error_code = (int)code;
	error.error_message = (char *)text;
	answer.message_response_case = TELLS(ERROR_RESPONSE);
	answer.error_response = &error;
	send_answer(call, request, &answer);
}

/* ---- files ---- */

static struct span text_span(const char *text)
{
	return (struct span){(const uint8_t *)text, strlen(text)};
}

static struct span set_of(const struct rpc_server *server)
{
	return (struct span){server->config.descriptors,
			     server->config.descriptors_size};
}

static bool find_named(const struct rpc_server *server, struct span name,
		       struct span *file)
{
	struct span set = set_of(server);

	while (descriptor_next(&set, file))
		if (descriptor_is_named(*file, name))
			return true;
	return false;
}

static bool find_defining(const struct rpc_server *server, const char *symbol,
			  struct span *file)
{
	struct span set = set_of(server);

	while (descriptor_next(&set, file))
		if (descriptor_defines(*file, symbol))
			return true;
	return false;
}

static bool has(const ProtobufCBinaryData *files, size_t n, struct span file)
{
	for (size_t i = 0; i < n; i++)
		if (files[i].data == file.at)
			return true;
	return false;
}

/* Behind the first file, whatever it needs; each of the set at most once. */
static size_t add_imports(const struct rpc_server *server,
			  ProtobufCBinaryData *files)
{
	size_t n = 1;

	for (size_t i = 0; i < n; i++) {
		struct span at = {files[i].data, files[i].len}, name, file;

		while (descriptor_next_import(&at, &name))
			if (find_named(server, name, &file) &&
			    !has(files, n, file))
				files[n++] = (ProtobufCBinaryData){
					file.size, (uint8_t *)file.at};
	}
	return n;
}

static void send_files(struct rpc_call *call, const request_t *request,
		       const struct rpc_server *server, struct span first)
{
	response_t answer =
		GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__FileDescriptorResponse files =
		GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
	CLEANUP(free) ProtobufCBinaryData *list = NULL;
	struct span set = set_of(server), file;
	size_t n = 0;

	while (descriptor_next(&set, &file))
		n++;
	list = calloc(n, sizeof(*list));
	if (!list) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	list[0] = (ProtobufCBinaryData){first.size, (uint8_t *)first.at};
	files.n_file_descriptor_proto = add_imports(server, list);
	files.file_descriptor_proto = list;
	answer.message_response_case = TELLS(FILE_DESCRIPTOR_RESPONSE);
	answer.file_descriptor_response = &files;
	send_answer(call, request, &answer);
}

/* ---- the rest ---- */

static void send_list(struct rpc_call *call, const request_t *request,
		      const struct rpc_server *server)
{
	response_t answer =
		GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__ListServiceResponse list =
		GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
	size_t own = server->n_services - 1, n = own + LENGTH(own_services);
	Grpc__Reflection__V1__ServiceResponse items[n], *pointers[n];

	for (size_t i = 0; i < n; i++) {
		grpc__reflection__v1__service_response__init(&items[i]);
		items[i].name = i < own ? server->services[i + 1].name
					: (char *)own_services[i - own];
		pointers[i] = &items[i];
	}
	list.n_service = n;
	list.service = pointers;
	answer.message_response_case = TELLS(LIST_SERVICES_RESPONSE);
	answer.list_services_response = &list;
	send_answer(call, request, &answer);
}

/* Our messages have no extensions. */
static void send_no_extensions(struct rpc_call *call, const request_t *request)
{
	response_t answer =
		GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
	Grpc__Reflection__V1__ExtensionNumberResponse none =
		GRPC__REFLECTION__V1__EXTENSION_NUMBER_RESPONSE__INIT;

	none.base_type_name = request->all_extension_numbers_of_type;
	answer.message_response_case = TELLS(ALL_EXTENSION_NUMBERS_RESPONSE);
	answer.all_extension_numbers_response = &none;
	send_answer(call, request, &answer);
}

static void on_request(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	const request_t *request = (const void *)message;
	const struct rpc_server *server = user;
	const char *error = NULL;
	struct span file;

	switch ((int)request->message_request_case) {
	case ASKS(LIST_SERVICES):
		send_list(call, request, server);
		return;
	case ASKS(FILE_BY_FILENAME):
		if (find_named(server, text_span(request->file_by_filename),
			       &file))
			send_files(call, request, server, file);
		else
			error = "no such file";
		break;
	case ASKS(FILE_CONTAINING_SYMBOL):
		if (find_defining(server, request->file_containing_symbol,
				  &file))
			send_files(call, request, server, file);
		else
			error = "no such symbol";
		break;
	case ASKS(FILE_CONTAINING_EXTENSION):
		error = "no such extension";
		break;
	case ASKS(ALL_EXTENSION_NUMBERS_OF_TYPE):
		if (find_defining(server,
				  request->all_extension_numbers_of_type,
				  &file))
			send_no_extensions(call, request);
		else
			error = "no such type";
		break;
	default:
		send_error(call, request, RPC_INVALID_ARGUMENT,
			   "nothing was asked");
		return;
	}
	if (error)
		send_error(call, request, RPC_NOT_FOUND, error);
}

static void on_half(struct rpc_call *call, void *user)
{
	rpc_call_end(call, RPC_OK, "");
}

static void on_writable(struct rpc_call *call, void *user)
{
	rpc_call_pause(call, false);
}

#define METHOD(version)                                                               \
	{                                                                             \
		.path = "/grpc.reflection." version                                   \
			".ServerReflection/ServerReflectionInfo",                     \
		.kind = RPC_BIDI, .on_message = on_request,                           \
		.on_half = on_half, .on_writable = on_writable,                       \
		.request =                                                            \
			&grpc__reflection__v1__server_reflection_request__descriptor, \
	}

const struct rpc_method reflection_methods[2] = {
	METHOD("v1"),
	METHOD("v1alpha"),
};
