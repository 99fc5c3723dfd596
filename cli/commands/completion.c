/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/help.h"

static void print_names(FILE *to)
{
	for (const struct command *at = commands; at->name; at++)
		fprintf(to, "%s%s", at == commands ? "" : " ", at->name);
}

/* One branch of the script's case: what the word behind a command may be. */
static void print_branch(FILE *to, const struct command *command)
{
	fprintf(to, "\t%s)\n\t\toptions='", command->name);
	for (size_t i = 0; i < n_flags; i++)
		if (flags[i].set & command->bit)
			fprintf(to, " --%s", flags[i].name);
	fputs("'\n", to);
	if (command->bit & ON_JOB)
		fputs("\t\twords=$(bellows completion jobs 2>/dev/null)\n", to);
	else if (command->bit & ON_QUEUED)
		fputs("\t\twords=$(bellows completion queue 2>/dev/null)\n",
		      to);
	else if (command->bit &
		 (ON_RUN | ON_VALIDATE | ON_SIMULATE | ON_SUBMIT))
		fputs("\t\tfiles=1\n", to);
	else if (command->bit & ON_COMPLETION)
		fputs("\t\twords='bash zsh'\n", to);
	else if (command->bit & ON_HELP)
		fputs("\t\twords=$commands\n", to);
	fputs("\t\t;;\n", to);
}

/* After an option whose value is a file or a folder: names of files. */
static void print_file_flags(FILE *to)
{
	fputs("\tcase $previous in\n\t", to);
	for (size_t i = 0, n = 0; i < n_flags; i++)
		if ((flags[i].kind == OPTION_TEXT ||
		     flags[i].kind == OPTION_OTHER) &&
		    (flags[i].value[0] == 'D' || flags[i].value[0] == 'F'))
			fprintf(to, "%s--%s", n++ ? "|" : "", flags[i].name);
	fputs(")\n\t\tCOMPREPLY=($(compgen -f -- \"$current\"))\n"
	      "\t\treturn\n\t\t;;\n\tesac\n",
	      to);
}

void completion_print_bash(FILE *to)
{
	fputs("# bash completion for bellows\n"
	      "_bellows()\n{\n"
	      "\tlocal current=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tlocal previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal commands='",
	      to);
	print_names(to);
	fputs("'\n\tlocal options= words= files=\n\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$commands --help --version\" "
	      "-- \"$current\"))\n"
	      "\t\treturn\n\tfi\n",
	      to);
	print_file_flags(to);
	fputs("\tcase ${COMP_WORDS[1]} in\n", to);
	for (const struct command *at = commands; at->name; at++)
		print_branch(to, at);
	fputs("\tesac\n"
	      "\tif [[ $current == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
	      "\telif [ -n \"$files\" ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$current\"))\n"
	      "\telse\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	      "\tfi\n}\n"
	      "complete -o filenames -o bashdefault -F _bellows bellows\n",
	      to);
}

void completion_print_zsh(FILE *to)
{
	fputs("#compdef bellows\n"
	      "autoload -U +X bashcompinit && bashcompinit\n",
	      to);
	completion_print_bash(to);
	/* an installed one is read by its first call, which wants an answer */
	fputs("if [ \"${funcstack[1]-}\" = _bellows ]; then\n"
	      "\t_bash_complete -o filenames -o bashdefault -F _bellows\n"
	      "fi\n",
	      to);
}
