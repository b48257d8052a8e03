/*
 * mkrecording - recordings too large to keep, and what it costs to convert them.
 *
 *	mkrecording processes|forks|threads|maps|events NUMBER FILE
 *		NUMBER short processes; forks without exec; threads of one process; maps of one process
 *		(from the highest address down); or events, with two samples for each
 *	mkrecording stream|flood MEGABYTES
 *		a pipe's stream on standard output, with rounds or (flood) without any
 *	mkrecording measure COMMAND...
 *		run it, its standard output thrown away; then print "STATUS CPU-MILLISECONDS PEAK-KILOBYTES"
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/sample.h"
#include "tests/mkperf.h"

#define SAMPLE_TYPE                                                                                          \
	(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_CPU | SAMPLE_PERIOD |              \
	 SAMPLE_IDENTIFIER)

#define PER_ROUND 100
#define PROGRAM UINT64_C(0x400000)
#define LIBRARY UINT64_C(0x7f0000000000)
#define FIRST_PID 1000
#define PER_CHUNK 10000 /* samples of a stream that are made at a time */

static uint64_t now = 1000000;

static void __attribute__((noreturn)) die(const char *why)
{
	fprintf(stderr, "mkrecording: %s\n", why);
	exit(1);
}

static struct mkperf *new_recording(bool pipe)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });

	mkperf_event(m, .attr = { .sample_type = SAMPLE_TYPE, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	return m;
}

static void map(struct mkperf *m, uint32_t pid, uint64_t start, const char *name)
{
	mkperf_mmap2(m, .pid = pid, .tid = pid, .time = now++, .start = start, .len = 0x10000,
		     .filename = name);
}

static void sample(struct mkperf *m, uint32_t pid, uint32_t tid, unsigned n)
{
	uint64_t ip = PROGRAM + 0x100 + n % 64 * 16;

	mkperf_sample(m, MK_CHAIN(CHAIN_USER, ip, PROGRAM + 0x800 + n % 8, LIBRARY + 0x123), .ip = ip,
		      .pid = pid, .tid = tid, .time = now++, .period = 1000 + n);
}

static void short_process(struct mkperf *m, uint32_t pid)
{
	mkperf_fork(m, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = now++);
	mkperf_comm(m, .misc = MISC_COMM_EXEC, .pid = pid, .tid = pid, .comm = "short", .time = now++);
	map(m, pid, PROGRAM, "/opt/app/short");
	map(m, pid, LIBRARY, "/lib/libc.so.6");
	map(m, pid, LIBRARY + 0x100000, "/lib/ld-linux.so.2");
	sample(m, pid, pid, pid);
	sample(m, pid, pid, pid + 1);
	mkperf_exit(m, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = now++);
}

/* A server's child: all its parent's maps, and one of its own. */
static void child(struct mkperf *m, uint32_t pid)
{
	mkperf_fork(m, .pid = pid, .tid = pid, .ppid = FIRST_PID, .ptid = FIRST_PID, .time = now++);
	map(m, pid, LIBRARY + 0x200000, "/tmp/data");
	sample(m, pid, pid, pid);
	sample(m, pid, pid, pid + 1);
	mkperf_exit(m, .pid = pid, .tid = pid, .ppid = FIRST_PID, .ptid = FIRST_PID, .time = now++);
}

static void thread(struct mkperf *m, uint32_t tid)
{
	mkperf_fork(m, .pid = FIRST_PID, .tid = tid, .ppid = FIRST_PID, .ptid = FIRST_PID, .time = now++);
	mkperf_comm(m, .pid = FIRST_PID, .tid = tid, .comm = "worker", .time = now++);
	sample(m, FIRST_PID, tid, tid);
	sample(m, FIRST_PID, tid, tid + 1);
}

static void one_more_map(struct mkperf *m, unsigned n)
{
	char name[64];

	snprintf(name, sizeof(name), "/opt/plugins/%u.so", n);
	map(m, FIRST_PID, LIBRARY - (n + 1) * UINT64_C(0x20000), name);
	sample(m, FIRST_PID, FIRST_PID, n);
	sample(m, FIRST_PID, FIRST_PID, n + 1);
}

static void first_process(struct mkperf *m)
{
	mkperf_comm(m, .misc = MISC_COMM_EXEC, .pid = FIRST_PID, .tid = FIRST_PID, .comm = "server",
		    .time = now++);
	map(m, FIRST_PID, PROGRAM, "/opt/app/server");
	map(m, FIRST_PID, LIBRARY, "/lib/libc.so.6");
}

static void add(struct mkperf *m, const char *what, unsigned n)
{
	if (!strcmp(what, "processes"))
		short_process(m, FIRST_PID + 1 + n);
	else if (!strcmp(what, "forks"))
		child(m, FIRST_PID + 1 + n);
	else if (!strcmp(what, "threads"))
		thread(m, FIRST_PID + 1 + n);
	else if (!strcmp(what, "maps"))
		one_more_map(m, n);
	else
		die(what);
	if (n % PER_ROUND == PER_ROUND - 1)
		mkperf_round(m);
}

static void many_events(struct mkperf *m, unsigned number)
{
	for (unsigned n = 1; n < number; n++)
		mkperf_event(m, .attr = { .sample_type = SAMPLE_TYPE, .flags = MK_SAMPLE_ID_ALL },
			     .name = "cycles");
	first_process(m);
	for (unsigned n = 0; n < 2 * number; n++) {
		uint64_t ip = PROGRAM + n % 64;
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, ip), .ip = ip, .event = n % number, .pid = FIRST_PID,
			      .tid = FIRST_PID, .time = now++, .period = 1);
	}
}

static int write_recording(const char *what, unsigned number, const char *path)
{
	struct mkperf *m = new_recording(false);

	if (!strcmp(what, "events")) {
		many_events(m, number);
	} else {
		first_process(m);
		for (unsigned n = 0; n < number; n++)
			add(m, what, n);
	}
	mkperf_write(m, path);
	mkperf_free(m);
	return 0;
}

static size_t put(const uint8_t *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, stdout) != size)
		die("standard output");
	return size;
}

/* The stream's beginning has the header and the event, the other chunks have records alone. */
static int write_stream(bool rounds, size_t megabytes)
{
	for (size_t written = 0; written < megabytes << 20;) {
		struct mkperf *m = new_recording(true);
		size_t size;
		if (!written)
			first_process(m);
		for (unsigned n = 0; n < PER_CHUNK; n++) {
			sample(m, FIRST_PID, FIRST_PID, n);
			if (rounds && n % PER_ROUND == 0)
				mkperf_round(m);
		}
		const uint8_t *bytes = written ? mkperf_records(m, &size) : mkperf_bytes(m, &size);
		written += put(bytes, size);
		mkperf_free(m);
	}
	return fflush(stdout) ? 1 : 0;
}

static int measure(char **command)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		die("no process");
	long ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
		  (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
	printf("%d %ld %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ms,
	       used.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "measure"))
		return measure(argv + 2);
	if (argc == 3 && (!strcmp(argv[1], "stream") || !strcmp(argv[1], "flood")))
		return write_stream(argv[1][0] == 's', strtoul(argv[2], NULL, 10));
	if (argc == 4)
		return write_recording(argv[1], (unsigned)strtoul(argv[2], NULL, 10), argv[3]);
	die("usage: see the beginning of tests/mkrecording.c");
}
