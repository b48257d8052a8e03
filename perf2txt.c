/* perf2txt - turn a Linux perf.data recording of any machine into text. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "options.h"
#include "session.h"
#include "util/xalloc.h"

static int usage(struct err *err)
{
	fprintf(stderr, "perf2txt: %s\nTry 'perf2txt --help'.\n", err_text(err));
	err_free(err);
	return STATUS_USAGE;
}

/* What the C library still holds counts: a full disk is found out at the end. */
static int flush(void)
{
	if (!fflush(stdout) || errno == EPIPE)
		return STATUS_OK;
	fprintf(stderr, "perf2txt: standard output: cannot write: %s\n", strerror(errno));
	return STATUS_FAILED;
}

static int print_help(void)
{
	options_print_help(stdout);
	return flush();
}

static int print_version(void)
{
	puts("perf2txt " PACKAGE_VERSION);
	return flush();
}

/*
 * Files are mapped: one that is cut by somebody else while it is read, or whose disk fails, is seen as this
 * signal only.
 */
static void lost_bytes(int number, siginfo_t *info, void *context)
{
	static const char text[] = "perf2txt: a file became shorter, or its disk failed, while it was read\n";

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

static void set_signals(void)
{
	struct sigaction bus = { .sa_sigaction = lost_bytes, .sa_flags = SA_SIGINFO };

	/* A reader that has enough is seen as a failed write. */
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGBUS, &bus, NULL);
}

int main(int argc, char **argv)
{
	xalloc_prepare();
	struct options options;
	struct err *err = options_parse(argc, argv, &options);
	int status = STATUS_OK;

	set_signals();
	if (err)
		status = usage(err);
	else if (options.help)
		status = print_help();
	else if (options.version)
		status = print_version();
	else
		status = session_run(&options);
	options_deinit(&options);
	return status;
}
