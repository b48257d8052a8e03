/* A recording in a file -> text, folded stacks: the whole program. It names no file that is not in the input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "options.h"
#include "session.h"
#include "tests/fuzz/fuzz.h"

#define MAX_ARGS 40

/* Runs print what is wrong with the input; a sanitizer does not use stdio. */
static void mute(void)
{
	static FILE *nowhere;

	if (!nowhere) {
		nowhere = fopen("/dev/null", "w");
		stderr = nowhere;
	}
}

static void run(const char *input, const char *const *args)
{
	const char *argv[MAX_ARGS] = { "perf2txt",  "-i",	 input,		 "-o",
				       "/dev/null", "--sysroot", "/nonexistent", "--stats" };
	struct options options;
	int argc = 8;

	while (*args)
		argv[argc++] = *args++;
	struct err *err = options_parse(argc, (char **)(uintptr_t)argv, &options);
	if (err)
		abort();
	fuzz_use((uint64_t)session_run(&options));
	options_deinit(&options);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	static const char *const everything[] = {
		"--header",
		"-I",
		"--show-task-events",
		"--show-mmap-events",
		"--show-switch-events",
		"--show-namespace-events",
		"--show-lost-events",
		"--show-round-events",
		"--show-bpf-events",
		"--show-cgroup-events",
		"--show-text-poke-events",
		"--time",
		"0%-90%",
		"-F",
		"+misc,+brstacksym,+iregs,+uregs,+addr,+phys_addr,+data_src,+weight,+bpf-output,+symoff,+"
		"dsoff,+period",
		NULL,
	};
	static const char *const plain[] = { NULL };
	static const char *const dump[] = { "-D", NULL };
	static const char *const folded[] = { "--folded=pid,tid,all,addrs", "--event-filter", "all", NULL };
	const char *path = fuzz_file(data, size);

	mute();
	run(path, plain);
	run(path, dump);
	run(path, everything);
	run(path, folded);
	return 0;
}
