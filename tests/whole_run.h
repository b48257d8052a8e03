/*
 * whole_run - runs of the program in a folder of the test's own, which has a sysroot and a recording.
 *
 *	whole_run_begin();
 *	mkperf_write(m, file);
 *	ck_assert_str_eq(text("--sysroot root -F ip,sym perf.data"), "...");
 *	mkelf_remove(folder);
 */
#ifndef PERF2TXT_WHOLE_RUN_H
#define PERF2TXT_WHOLE_RUN_H

#include <unistd.h>

#include "tests/mkelf.h"

static char folder[64], file[128]; /* this test's own; its recording */
static char out[1 << 20], messages[1 << 16];
static int status;

/** FOLDER/root is an empty sysroot; FOLDER/perf.data will be the recording. */
static void whole_run_begin(void)
{
	mkelf_folder(folder);
	/* perf's cache of this user must not take part. */
	setenv("HOME", folder, 1);
	setenv("LC_ALL", "C", 1);
	ck_assert(mkelf_run("mkdir -p '%s/root/usr/bin'", folder));
	snprintf(file, sizeof(file), "%s/perf.data", folder);
}

static void slurp(const char *name, char *ret, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "no %s", path);
	size_t got = fread(ret, 1, size - 1, f);
	ck_assert_uint_lt(got, size - 1);
	ret[got] = '\0';
	fclose(f);
}

static const char *program(void)
{
	static char path[4096];
	const char *top = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/perf2txt", top ? top : ".");
	ck_assert_msg(!access(path, X_OK), "no %s: set top_builddir to the build folder", path);
	return path;
}

/** Fills out, messages and status. Paths in @options are in the test's folder. */
static void run(const char *options)
{
	char command[8192];

	snprintf(command, sizeof(command), "cd '%s' && : >out.txt && '%s' -o out.txt %s 2>messages.txt",
		 folder, program(), options);
	status = system(command);
	slurp("messages.txt", messages, sizeof(messages));
	slurp("out.txt", out, sizeof(out));
}

/** A run that must go well. */
static const char *text(const char *options)
{
	run(options);
	ck_assert_msg(status == 0, "status %d: %s", status, messages);
	return out;
}

#endif
