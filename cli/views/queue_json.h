/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_QUEUE_JSON_H
#define CLI_VIEWS_QUEUE_JSON_H

/*
 * What a scheduler says, as objects of JSON
 */

#include "cli/views/queue_table.h"

void queue_json_print(FILE *to, const Bellows__V1__Queue *queue,
		      const struct queue_table *table);
void queue_json_explain(FILE *to, const Bellows__V1__ExplainReply *reply);

#endif
