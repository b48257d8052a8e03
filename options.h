/*
 * options - the command line.
 *
 * One table says everything about an option: how it is called, what it sets, what --help says. Names, short
 * forms and meanings are perf script's, so that `perf script ARGS` becomes `perf2txt ARGS`; an option of perf
 * script that has no sense here gets a sentence that says so. Only the syntax is checked here; what a value
 * means is up to the module that uses it.
 */
#ifndef PERF2TXT_OPTIONS_H
#define PERF2TXT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"
#include "util/vec.h"

/* Exit statuses; the man page has the same table. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* the recording or the output is bad */
	STATUS_USAGE = 2,  /* the command line is wrong */
	STATUS_FIELDS = 129, /* -F is wrong: perf script's own status */
};

typedef VEC(const char *) text_list;

struct options {
	bool help, version;
	/* input and output */
	const char *input; /* NULL: standard input when it is a pipe, else perf.data */
	const char *output; /* NULL: standard output */
	bool force;
	/* what is printed */
	text_list fields; /* every -F, in order */
	bool hide_call_graph, ns, reltime, deltatime, full_source_path, show_kernel_path, latency;
	bool header, header_only, show_info;
	bool show_task, show_mmap, show_switch, show_namespace, show_lost, show_round, show_bpf, show_cgroup,
		show_text_poke;
	int max_stack; /* -1: not given */
	int max_blocks; /* 0: all */
	const char *stop_bt;
	bool no_inline, no_demangle, demangle_kernel, no_merge_callchains, stitch_lbr;
	bool per_event_dump, dump_raw, dump_unsorted; /* dump_unsorted sets dump_raw too */
	/* which samples */
	const char *comms, *pids, *tids, *cpus, *time, *dsos, *symbols, *graph_function;
	const char *switch_on, *switch_off;
	bool show_on_off;
	const char *addr_range;
	/* folded stacks */
	bool folded;
	const char *folded_list; /* NULL: nothing asked for */
	text_list event_filters;
	const char *weight, *incomplete;
	/* where binaries and names are */
	const char *sysroot, *arch, *kallsyms, *vmlinux, *buildid_dir, *perf_map_dir;
	const char *guestmount, *guestkallsyms, *guestvmlinux, *guestmodules;
	bool guest_code;
	text_list debug_dirs, extra_dirs;
	bool debuginfod;
	/* the run itself */
	int max_queue_mb; /* -1: not given */
	bool stats, quiet, verbose, no_progress;
	const char *stats_form; /* of the statistics: NULL, or "json" */
};

/** Fill @ret from the command line. An error is one of usage; its text ends without "try --help". */
struct err *options_parse(int argc, char **argv, struct options *ret) ERR_CHECK;
void options_deinit(struct options *o);

void options_print_help(FILE *to);

/** "-i", "--input", ... one a line, for tests of the man page. */
void options_print_names(FILE *to);

#endif
