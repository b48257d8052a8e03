/* perf2txt - turn a Linux perf.data recording of any machine into text. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "options.h"
#include "session.h"

static int usage(struct err *err)
{
	fprintf(stderr, "perf2txt: %s\nTry 'perf2txt --help'.\n", err_text(err));
	err_free(err);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	struct options options;
	struct err *err = options_parse(argc, argv, &options);
	int status = STATUS_OK;

	/* A reader that has enough is seen as a failed write. */
	signal(SIGPIPE, SIG_IGN);
	if (err)
		status = usage(err);
	else if (options.help)
		options_print_help(stdout);
	else if (options.version)
		puts("perf2txt " PACKAGE_VERSION);
	else
		status = session_run(&options);
	options_deinit(&options);
	return status;
}
