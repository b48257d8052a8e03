#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum kind {
	GROUP,       /* no option: a heading of --help */
	FLAG,        /* bool; also --no-NAME */
	CLEAR,       /* bool that the --no- form sets: --no-inline sets no_inline, --inline clears it */
	TEXT,        /* const char *, the last one counts */
	SYMFS,       /* DIR[,LAYOUT] */
	LIST,        /* text_list, all count */
	NUMBER,      /* int, not negative */
	OPTIONAL,    /* bool, and a const char * when a value is given */
	ACCEPTED,    /* perf script's; nothing to do here */
	ACCEPTED_VALUE,
	REFUSED,     /* perf script's; the help text says why it does not apply here */
	REFUSED_VALUE,
};

struct option_row {
	const char *name; /* long */
	char letter;      /* short; 0: none */
	enum kind kind;
	size_t offset; /* into struct options */
	const char *value;
	const char *help; /* NULL: not listed */
	size_t value_offset; /* of OPTIONAL */
};

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[] = {
	{ .kind = GROUP, .help = "Input and output" },
	{ "input", 'i', TEXT, AT(input), "FILE",
	  "the recording: a file, a directory of perf record --threads, - for standard input" },
	{ "output", 'o', TEXT, AT(output), "FILE", "write the text to FILE" },
	{ "force", 'f', ACCEPTED, 0, NULL, "accepted: who owns the file never matters here" },

	{ .kind = GROUP, .help = "Folded stacks" },
	{ "folded", 0, OPTIONAL, AT(folded), "LIST",
	  "comm;root;...;leaf WEIGHT, sorted; LIST of pid, tid, kernel, jit, inline, all, addrs, srcline",
	  AT(folded_list) },
	{ "event-filter", 0, LIST, AT(event_filters), "NAME",
	  "this event, not the first one (repeatable; all)" },
	{ "weight", 0, TEXT, AT(weight), "WHAT", "what a stack weighs: period (default) or samples" },
	{ "incomplete", 0, TEXT, AT(incomplete), "WHAT",
	  "user stacks that were not unwound to their root: keep (default), mark or drop" },

	{ .kind = GROUP, .help = "Where binaries and names are" },
	{ "sysroot", 0, TEXT, AT(sysroot), "DIR",
	  "root folder of the recorded machine; with it nothing of this machine is used" },
	{ "symfs", 0, SYMFS, AT(sysroot), "DIR[,flat]", "the same; flat: by name, as with --extra-dir" },
	{ "arch", 0, TEXT, AT(arch), "NAME",
	  "architecture of the recorded machine (uname -m) when the file does not say, or says wrong" },
	{ "kallsyms", 0, TEXT, AT(kallsyms), "FILE", "the recorded kernel's /proc/kallsyms" },
	{ "vmlinux", 'k', TEXT, AT(vmlinux), "FILE", "the recorded kernel's vmlinux" },
	{ "debug-dir", 0, LIST, AT(debug_dirs), "DIR",
	  "where separate debug files are (repeatable; default /usr/lib/debug, of the sysroot when "
	  "there is one)" },
	{ "extra-dir", 0, LIST, AT(extra_dirs), "DIR",
	  "where binaries are looked for by name after the sysroot, subfolders too (repeatable)" },
	{ "buildid-dir", 0, TEXT, AT(buildid_dir), "DIR",
	  "perf's build-id cache (default ~/.debug, or .debug of the sysroot)" },
	{ "perf-map-dir", 0, TEXT, AT(perf_map_dir), "DIR",
	  "where perf-PID.map and jit-PID.dump files are (default /tmp, of the sysroot when there is one)" },

	{ "debuginfod", 0, FLAG, AT(debuginfod), NULL,
	  "download binaries and debug files that are nowhere from the servers of $DEBUGINFOD_URLS" },

	{ .kind = GROUP, .help = "Virtual machines; each of these also shows their samples" },
	{ "guestmount", 0, TEXT, AT(guestmount), "DIR",
	  "DIR/PID is the root folder of the guest whose process is PID, with proc/kallsyms" },
	{ "guestkallsyms", 0, TEXT, AT(guestkallsyms), "FILE",
	  "/proc/kallsyms of guests without such a folder" },
	{ "guestvmlinux", 0, TEXT, AT(guestvmlinux), "FILE", "their vmlinux" },
	{ "guestmodules", 0, TEXT, AT(guestmodules), "FILE",
	  "their /proc/modules: accepted, the recording has all of it" },
	{ "guest-code", 0, FLAG, AT(guest_code), NULL, "guests run the code of their process on the host" },

	{ .kind = GROUP, .help = "What is printed" },
	{ "fields", 'F', LIST, AT(fields), "LIST",
	  "fields, as in perf script: "
	  "[type:]comm,tid,pid,time,cpu,event,ip,sym,symoff,dso,period,... or +FIELD,-FIELD" },
	{ "hide-call-graph", 'G', FLAG, AT(hide_call_graph), NULL, "one line a sample, no call chain" },
	{ "max-stack", 0, NUMBER, AT(max_stack), "N", "at most N frames of a call chain (default 127)" },
	{ "max-blocks", 0, NUMBER, AT(max_blocks), "N",
	  "brstackinsn: only the code behind the last N branches and the one before (default: all)" },
	{ "stop-bt", 0, TEXT, AT(stop_bt), "SYMS", "end call chains at these symbols" },
	{ "inline", 0, CLEAR, AT(no_inline), NULL, "--no-inline: do not show inlined calls" },
	{ "demangle", 0, CLEAR, AT(no_demangle), NULL, "--no-demangle: names as they are in the file" },
	{ "demangle-kernel", 0, FLAG, AT(demangle_kernel), NULL, "demangle the kernel's names too" },
	{ "merge-callchains", 0, CLEAR, AT(no_merge_callchains), NULL,
	  "--no-merge-callchains: late user parts of call chains by themselves" },
	{ "stitch-lbr", 0, FLAG, AT(stitch_lbr), NULL,
	  "call stacks of branches (LBR) that are cut: callers from the thread's sample before" },
	{ "full-source-path", 0, FLAG, AT(full_source_path), NULL, "srcline with the whole path" },
	{ "show-kernel-path", 0, FLAG, AT(show_kernel_path), NULL,
	  "the file's path for the kernel and its modules" },
	{ "Latency", 'L', FLAG, AT(latency), NULL, "narrow comm and cpu columns" },
	{ "dump-raw-trace", 'D', FLAG, AT(dump_raw), NULL, "also each record's bytes, and what they mean" },
	{ "dump-unsorted-raw-trace", 0, FLAG, AT(dump_unsorted), NULL,
	  "the same, in the order of the recording" },
	{ "ns", 0, FLAG, AT(ns), NULL, "times in nanoseconds" },
	{ "reltime", 0, FLAG, AT(reltime), NULL, "times since the first line" },
	{ "deltatime", 0, FLAG, AT(deltatime), NULL, "times since the line before" },
	{ "per-event-dump", 0, FLAG, AT(per_event_dump), NULL,
	  "the samples of each event into a file INPUT.EVENT.dump" },
	{ "header", 0, FLAG, AT(header), NULL, "also what the recording says about the machine" },
	{ "header-only", 0, FLAG, AT(header_only), NULL, "only that" },
	{ "show-info", 'I', FLAG, AT(show_info), NULL, "the long form of topologies in the header" },
	{ "show-task-events", 0, FLAG, AT(show_task), NULL, "also COMM, FORK and EXIT records" },
	{ "show-mmap-events", 0, FLAG, AT(show_mmap), NULL, "also MMAP and MMAP2 records" },
	{ "show-switch-events", 0, FLAG, AT(show_switch), NULL, "also context switches" },
	{ "show-namespace-events", 0, FLAG, AT(show_namespace), NULL, "also NAMESPACES records" },
	{ "show-cgroup-events", 0, FLAG, AT(show_cgroup), NULL, "also CGROUP records" },
	{ "show-lost-events", 0, FLAG, AT(show_lost), NULL, "also LOST records" },
	{ "show-round-events", 0, FLAG, AT(show_round), NULL,
	  "also FINISHED_ROUND records; turns ordering off" },
	{ "show-bpf-events", 0, FLAG, AT(show_bpf), NULL, "also BPF and KSYMBOL records" },
	{ "show-text-poke-events", 0, FLAG, AT(show_text_poke), NULL, "also changes of the kernel's code" },

	{ .kind = GROUP, .help = "Which samples" },
	{ "comms", 'c', TEXT, AT(comms), "LIST", "of threads with these names" },
	{ "pid", 0, TEXT, AT(pids), "LIST", "of these processes" },
	{ "tid", 0, TEXT, AT(tids), "LIST", "of these threads" },
	{ "cpu", 'C', TEXT, AT(cpus), "LIST", "of these processors: 0,2-3" },
	{ "time", 0, TEXT, AT(time), "RANGE", "of a time: START,STOP in seconds, 10%-20%, 10%/2" },
	{ "dsos", 0, TEXT, AT(dsos), "LIST", "whose own address is in these binaries" },
	{ "symbols", 'S', TEXT, AT(symbols), "LIST",
	  "whose own address is in these functions (names or 0xADDRESS)" },
	{ "addr-range", 0, TEXT, AT(addr_range), "N", "with -S 0xADDRESS: up to N bytes behind it" },
	{ "switch-on", 0, TEXT, AT(switch_on), "EVENT", "from the first sample of this event on" },
	{ "switch-off", 0, TEXT, AT(switch_off), "EVENT", "up to the next sample of this event" },
	{ "show-on-off-events", 0, FLAG, AT(show_on_off), NULL, "and the samples of those two events too" },
	{ "graph-function", 0, TEXT, AT(graph_function), "LIST",
	  "whose call chain has one of these functions" },

	{ .kind = GROUP, .help = "The run" },
	{ "max-queue", 0, NUMBER, AT(max_queue_mb), "MB",
	  "memory for records that wait for their turn, of a pipe (default 1024)" },
	{ "stats", 0, OPTIONAL, AT(stats), "json",
	  "counters and all that has no names, on stderr at the end; as JSON", AT(stats_form) },
	{ "quiet", 'q', FLAG, AT(quiet), NULL, "no summary on stderr" },
	{ "verbose", 'v', FLAG, AT(verbose), NULL, "more in the summary" },
	{ "progress", 0, CLEAR, AT(no_progress), NULL,
	  "--no-progress: do not show on a terminal how much of a large file is read" },
	{ "help", 'h', FLAG, AT(help), NULL, "this text" },
	{ "version", 'V', FLAG, AT(version), NULL, "the version" },

	{ "all-cpus", 'a', ACCEPTED, 0, NULL, NULL },
	{ "unwind-style", 0, ACCEPTED_VALUE, 0, "STYLE", NULL },
	{ "addr2line", 0, ACCEPTED_VALUE, 0, "PATH", NULL },
	{ "list", 'l', REFUSED, 0, NULL, "there are no scripts to list" },
	{ "script", 's', REFUSED_VALUE, 0, NULL, "scripts are not run: pipe the text into one" },
	{ "gen-script", 'g', REFUSED_VALUE, 0, NULL, "scripts are not run: pipe the text into one" },
	{ "list-dlfilters", 0, REFUSED, 0, NULL, "there are no dlfilters" },
	{ "dlfilter", 0, REFUSED_VALUE, 0, NULL, "dlfilters are perf's own plugins" },
	{ "dlarg", 0, REFUSED_VALUE, 0, NULL, "dlfilters are perf's own plugins" },
	{ "debug-mode", 'd', REFUSED, 0, NULL, "what is lost or out of order is always counted" },
	{ "xed", 0, REFUSED, 0, NULL, "the disassembler is built in: -F +disasm" },
	{ "insn-trace", 0, REFUSED, 0, NULL, "processor traces are not decoded" },
	{ "call-trace", 0, REFUSED, 0, NULL, "processor traces are not decoded" },
	{ "call-ret-trace", 0, REFUSED, 0, NULL, "processor traces are not decoded" },
	{ "itrace", 0, REFUSED, 0, NULL, "processor traces are not decoded" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))
#define CODE_ROW 1000 /* getopt's code of row n */
#define CODE_NO 2000  /* and of its --no- form */

static bool takes_value(enum kind kind)
{
	return kind == TEXT || kind == SYMFS || kind == LIST || kind == NUMBER || kind == ACCEPTED_VALUE ||
	       kind == REFUSED_VALUE;
}

/* All that is refused: some of it has a value with perf script, and why it is refused matters more. */
static bool takes_optional(enum kind kind)
{
	return kind == OPTIONAL || kind == REFUSED;
}

static bool has_no_form(enum kind kind)
{
	return kind == FLAG || kind == CLEAR || kind == ACCEPTED || kind == REFUSED;
}

/* getopt's own tables, made from ours. The long names point into @names. */
struct getopt_tables {
	char letters[2 * NR_ROWS + 8];
	char names[NR_ROWS][40];
	struct option longs[2 * NR_ROWS + 1];
};

static void add_long(struct getopt_tables *t, size_t *count, const char *name, int has_arg, int code)
{
	t->longs[(*count)++] = (struct option){ name, has_arg, NULL, code };
}

static void make_tables(struct getopt_tables *t)
{
	size_t count = 0;
	char *letter = t->letters;

	memset(t, 0, sizeof(*t));
	*letter++ = ':';
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct option_row *row = &rows[i];
		if (row->kind == GROUP)
			continue;
		int has_arg = takes_value(row->kind) ? required_argument :
			      takes_optional(row->kind) ? optional_argument :
							  no_argument;
		add_long(t, &count, row->name, has_arg, CODE_ROW + (int)i);
		if (has_no_form(row->kind)) {
			snprintf(t->names[i], sizeof(t->names[i]), "no-%s", row->name);
			add_long(t, &count, t->names[i], no_argument, CODE_NO + (int)i);
		}
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (has_arg == required_argument)
			*letter++ = ':';
	}
}

static const struct option_row *row_of(int code)
{
	if (code >= CODE_NO)
		return &rows[code - CODE_NO];
	if (code >= CODE_ROW)
		return &rows[code - CODE_ROW];
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].letter == code && rows[i].kind != GROUP)
			return &rows[i];
	}
	return NULL;
}

static struct err *set_number(const struct option_row *row, int *ret)
{
	char *end;
	long long value = strtoll(optarg, &end, 10);

	if (end == optarg || *end || value < 0 || value > INT_MAX)
		return err_new("--%s: '%s' is not a number", row->name, optarg);
	*ret = (int)value;
	return NULL;
}

/* DIR[,LAYOUT], as with perf script. The value is ours: it is cut in place. */
static struct err *set_symfs(struct options *o, char *value)
{
	char *comma = strchr(value, ',');

	o->sysroot = value;
	if (!comma)
		return NULL;
	*comma = '\0';
	if (!strcmp(comma + 1, "flat"))
		vec_push(&o->extra_dirs, value);
	else if (strcmp(comma + 1, "hierarchy"))
		return err_new("--symfs: '%s' is neither hierarchy nor flat", comma + 1);
	return NULL;
}

static struct err *set(struct options *o, const struct option_row *row, bool no)
{
	void *member = (char *)o + row->offset;

	switch (row->kind) {
	case FLAG:
		*(bool *)member = !no;
		return NULL;
	case CLEAR:
		*(bool *)member = no;
		return NULL;
	case TEXT:
		*(const char **)member = optarg;
		return NULL;
	case SYMFS:
		return set_symfs(o, optarg);
	case LIST:
		vec_push((text_list *)member, optarg);
		return NULL;
	case NUMBER:
		return set_number(row, member);
	case OPTIONAL:
		*(bool *)member = true;
		*(const char **)((char *)o + row->value_offset) = optarg;
		return NULL;
	case REFUSED:
	case REFUSED_VALUE:
		/* --no-itrace asks for what is done anyway. */
		return no ? NULL : err_new("--%s does not apply here: %s", row->name, row->help);
	case GROUP:
	case ACCEPTED:
	case ACCEPTED_VALUE:
		break;
	}
	return NULL;
}

/* A long name that getopt() does not know, or that is the beginning of several. */
static struct err *bad_name(const struct getopt_tables *t, const char *argument)
{
	const char *first = NULL;
	size_t length = strcspn(argument, "=");

	for (const struct option *o = t->longs; length > 2 && o->name; o++) {
		if (strncmp(o->name, argument + 2, length - 2))
			continue;
		if (first)
			return err_new("'%.*s' could be --%s or --%s", (int)length, argument, first, o->name);
		first = o->name;
	}
	return err_new("'%.*s': no such option", (int)length, argument);
}

/* Of letters, several may be in one @argument, and getopt() may not be done with it: it says which one. */
static struct err *bad_option(const struct getopt_tables *t, const char *argument, bool no_value)
{
	char letter[] = { '-', (char)optopt, '\0' };
	AUTOFREE char *name = optopt < CODE_ROW	 ? xstrdup(letter)
			      : optopt < CODE_NO ? xasprintf("--%s", row_of(optopt)->name)
						 : xasprintf("--no-%s", row_of(optopt)->name);

	if (no_value)
		return err_new("'%s' needs a value", name);
	if (!optopt)
		return bad_name(t, argument);
	return optopt < CODE_ROW ? err_new("'%s': no such option", name)
				 : err_new("'%s' takes no value", name);
}

static struct err *take_file(struct options *o, int argc, char **argv)
{
	if (optind == argc)
		return NULL;
	if (o->input)
		return err_new("'%s': the recording is given already (%s)", argv[optind], o->input);
	if (optind + 1 < argc)
		return err_new("'%s': only one recording can be given", argv[optind + 1]);
	o->input = argv[optind];
	return NULL;
}

struct err *options_parse(int argc, char **argv, struct options *ret)
{
	struct getopt_tables tables;
	int code;

	make_tables(&tables);
	*ret = (struct options){ .max_stack = -1, .max_queue_mb = -1 };
	optind = 0;
	opterr = 0;
	while ((code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
		if (code == '?' || code == ':')
			return bad_option(&tables, argv[optind - 1], code == ':');
		struct err *err = set(ret, row_of(code), code >= CODE_NO);
		if (err)
			return err;
	}
	ret->dump_raw |= ret->dump_unsorted;
	return take_file(ret, argc, argv);
}

void options_deinit(struct options *o)
{
	vec_free(&o->fields);
	vec_free(&o->event_filters);
	vec_free(&o->debug_dirs);
	vec_free(&o->extra_dirs);
}

static void print_row(FILE *to, const struct option_row *row)
{
	char text[64];
	const char *no = row->kind == CLEAR ? "[no-]" : "";

	snprintf(text, sizeof(text), "  %c%c%c --%s%s%s%s%s", row->letter ? '-' : ' ',
		 row->letter ? row->letter : ' ', row->letter ? ',' : ' ', no, row->name,
		 row->kind == OPTIONAL ? "[="
		 : row->value	       ? " "
				       : "",
		 row->value ? row->value : "", row->kind == OPTIONAL ? "]" : "");
	fprintf(to, "%-30s %s\n", text, row->help);
}

void options_print_help(FILE *to)
{
	fputs("Usage: perf2txt [OPTION]... [FILE]\n"
	      "Turn a Linux perf.data recording of any machine into the text of perf script, or folded "
	      "stacks.\n",
	      to);
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].kind == GROUP)
			fprintf(to, "\n%s:\n", rows[i].help);
		else if (rows[i].help && rows[i].kind != REFUSED && rows[i].kind != REFUSED_VALUE)
			print_row(to, &rows[i]);
	}
}

void options_print_names(FILE *to)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].kind == GROUP || !rows[i].help || rows[i].kind == REFUSED ||
		    rows[i].kind == REFUSED_VALUE)
			continue;
		fprintf(to, "--%s\n", rows[i].name);
		if (rows[i].letter)
			fprintf(to, "-%c\n", rows[i].letter);
	}
}
