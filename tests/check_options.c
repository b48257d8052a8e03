#include "options.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "util/xalloc.h"

static char line[512];
static char *words[32];
static char program[] = "perf2txt";
static int nr_words;

/* The words of a command line, blanks between them. */
static void split(const char *text)
{
	ck_assert_uint_lt(strlen(text), sizeof(line));
	strcpy(line, text);
	nr_words = 0;
	words[nr_words++] = program;
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		words[nr_words++] = word;
	words[nr_words] = NULL;
}

static struct options parse(const char *text)
{
	struct options o;

	split(text);
	struct err *err = options_parse(nr_words, words, &o);
	ck_assert_msg(!err, "%s: %s", text, err ? err_text(err) : "");
	return o;
}

#define IS_FLAG(text, member)                                                                                \
	do {                                                                                                 \
		struct options o = parse(text);                                                              \
		ck_assert_msg(o.member, "%s does not set " #member, text);                                   \
		options_deinit(&o);                                                                          \
	} while (0)
#define IS_NO_FLAG(text, member)                                                                             \
	do {                                                                                                 \
		struct options o = parse(text);                                                              \
		ck_assert_msg(!o.member, "%s sets " #member, text);                                          \
		options_deinit(&o);                                                                          \
	} while (0)
#define IS_TEXT(text, member, expected)                                                                      \
	do {                                                                                                 \
		struct options o = parse(text);                                                              \
		ck_assert_pstr_eq(o.member, expected);                                                       \
		options_deinit(&o);                                                                          \
	} while (0)
#define IS_NUMBER(text, member, expected)                                                                    \
	do {                                                                                                 \
		struct options o = parse(text);                                                              \
		ck_assert_int_eq(o.member, expected);                                                        \
		options_deinit(&o);                                                                          \
	} while (0)

static void is_refused(const char *text, const char *expected)
{
	struct options o;

	split(text);
	struct err *err = options_parse(nr_words, words, &o);
	ck_assert_msg(err != NULL, "%s is accepted", text);
	ck_assert_str_eq(err_text(err), expected);
	err_free(err);
	options_deinit(&o);
}

START_TEST(nothing_is_set_without_options)
{
	struct options none = parse("");

	ck_assert_int_eq(none.max_stack, -1);
	ck_assert_int_eq(none.max_queue_mb, -1);
	ck_assert_ptr_null(none.input);
	ck_assert(!none.folded && !none.no_inline && !none.no_demangle && !none.header &&
		  !none.hide_call_graph);
	ck_assert_uint_eq(none.fields.count + none.event_filters.count + none.debug_dirs.count, 0);
}
END_TEST

START_TEST(flags_have_a_name_a_letter_and_a_no_form)
{
	IS_FLAG("-G", hide_call_graph);
	IS_FLAG("--hide-call-graph", hide_call_graph);
	IS_NO_FLAG("-G --no-hide-call-graph", hide_call_graph);
	IS_FLAG("--no-ns --ns", ns);
	IS_FLAG("-I", show_info);
	IS_FLAG("-L", latency);
	IS_FLAG("--Latency", latency);
	IS_FLAG("-q", quiet);
	IS_FLAG("--guest-code", guest_code);
	IS_FLAG("-v", verbose);
	IS_FLAG("-h", help);
	IS_FLAG("-V", version);
	IS_FLAG("-GIq", quiet);
	IS_FLAG("-GIq", hide_call_graph);
	IS_FLAG("--header", header);
	IS_NO_FLAG("--header-only", header);
	IS_FLAG("--header-only", header_only);
	IS_FLAG("--show-task-events", show_task);
	IS_FLAG("--show-mmap-events", show_mmap);
	IS_FLAG("--show-switch-events", show_switch);
	IS_FLAG("--show-namespace-events", show_namespace);
	IS_FLAG("--show-cgroup-events", show_cgroup);
	IS_FLAG("--show-lost-events", show_lost);
	IS_FLAG("--show-round-events", show_round);
	IS_FLAG("--show-bpf-events", show_bpf);
	IS_FLAG("--show-text-poke-events", show_text_poke);
	IS_NO_FLAG("--show-text-poke-events --no-show-text-poke-events", show_text_poke);
	IS_FLAG("--reltime", reltime);
	IS_FLAG("--deltatime", deltatime);
	IS_FLAG("--full-source-path", full_source_path);
	IS_FLAG("--show-kernel-path", show_kernel_path);
	IS_FLAG("--demangle-kernel", demangle_kernel);
}
END_TEST

START_TEST(what_is_on_by_itself_is_turned_off)
{
	IS_NO_FLAG("--inline", no_inline);
	IS_FLAG("--no-inline", no_inline);
	IS_NO_FLAG("--no-inline --inline", no_inline);
	IS_FLAG("--inline --no-inline", no_inline);
	IS_FLAG("--no-demangle", no_demangle);
	IS_NO_FLAG("--no-demangle --demangle", no_demangle);
	IS_NO_FLAG("--no-demangle-kernel", no_demangle);
}
END_TEST

START_TEST(the_last_value_counts)
{
	IS_TEXT("-i a -i b", input, "b");
	IS_TEXT("--input=a", input, "a");
	IS_TEXT("-ia", input, "a");
	IS_TEXT("-o x", output, "x");
	IS_TEXT("--sysroot a", sysroot, "a");
	IS_TEXT("--symfs b", sysroot, "b");
	IS_TEXT("--symfs b,hierarchy", sysroot, "b");
	IS_NUMBER("--symfs b,hierarchy", extra_dirs.count, 0);
	IS_TEXT("--symfs b,flat", sysroot, "b");
	IS_TEXT("--symfs b,flat", extra_dirs.at[0], "b");
	IS_TEXT("--sysroot b,flat", sysroot, "b,flat");
	IS_TEXT("--sysroot a --symfs b", sysroot, "b");
	IS_TEXT("-k v", vmlinux, "v");
	IS_TEXT("--vmlinux v", vmlinux, "v");
	IS_TEXT("--kallsyms k", kallsyms, "k");
	IS_TEXT("-c a,b", comms, "a,b");
	IS_TEXT("--comms a", comms, "a");
	IS_TEXT("-C 0-3", cpus, "0-3");
	IS_TEXT("-S main", symbols, "main");
	IS_TEXT("--pid 1,2", pids, "1,2");
	IS_TEXT("--tid 3", tids, "3");
	IS_TEXT("--time 1,2", time, "1,2");
	IS_TEXT("--time ,2", time, ",2");
	IS_TEXT("--dsos libc.so.6", dsos, "libc.so.6");
	IS_TEXT("--graph-function f", graph_function, "f");
	IS_TEXT("--stop-bt f", stop_bt, "f");
	IS_TEXT("--addr-range 16", addr_range, "16");
	IS_TEXT("--arch aarch64", arch, "aarch64");
	IS_TEXT("--buildid-dir d", buildid_dir, "d");
	IS_TEXT("--perf-map-dir d", perf_map_dir, "d");
	IS_TEXT("--weight samples", weight, "samples");
	IS_TEXT("--guestmount d", guestmount, "d");
	IS_TEXT("--guestkallsyms f", guestkallsyms, "f");
	IS_TEXT("--guestvmlinux f", guestvmlinux, "f");
	IS_TEXT("--guestmodules f", guestmodules, "f");
	/* A value may look like an option. */
	IS_TEXT("--stop-bt --ns", stop_bt, "--ns");
}
END_TEST

START_TEST(lists_keep_all_values_in_order)
{
	struct options o = parse("-F comm,tid -F +ip --fields -sym --fields=dso");
	ck_assert_uint_eq(o.fields.count, 4);
	ck_assert_str_eq(o.fields.at[0], "comm,tid");
	ck_assert_str_eq(o.fields.at[1], "+ip");
	ck_assert_str_eq(o.fields.at[2], "-sym");
	ck_assert_str_eq(o.fields.at[3], "dso");
	options_deinit(&o);

	o = parse(
		"--event-filter a --event-filter b --debug-dir c --extra-dir d --extra-dir e --extra-dir f");
	ck_assert_uint_eq(o.event_filters.count, 2);
	ck_assert_uint_eq(o.debug_dirs.count, 1);
	ck_assert_uint_eq(o.extra_dirs.count, 3);
	ck_assert_str_eq(o.extra_dirs.at[2], "f");
	options_deinit(&o);
}
END_TEST

START_TEST(numbers)
{
	IS_NUMBER("--max-stack 0", max_stack, 0);
	IS_NUMBER("--max-stack=16", max_stack, 16);
	IS_NUMBER("--max-queue 2147483647", max_queue_mb, INT_MAX);
	is_refused("--max-stack -1", "--max-stack: '-1' is not a number");
	is_refused("--max-stack 1x", "--max-stack: '1x' is not a number");
	is_refused("--max-stack=", "--max-stack: '' is not a number");
	is_refused("--max-stack 2147483648", "--max-stack: '2147483648' is not a number");
	is_refused("--max-queue 99999999999999999999", "--max-queue: '99999999999999999999' is not a number");
}
END_TEST

START_TEST(stats_may_have_a_form)
{
	IS_FLAG("--debuginfod", debuginfod);
	IS_TEXT("--stats", stats_form, NULL);
	IS_TEXT("--stats=json", stats_form, "json");
	IS_TEXT("--stats=json", folded_list, NULL);
}
END_TEST

START_TEST(folded_may_have_a_list)
{
	IS_FLAG("--folded", folded);
	IS_TEXT("--folded", folded_list, NULL);
	IS_TEXT("--folded=pid,kernel", folded_list, "pid,kernel");
	/* Only with '=': the next word is the recording. */
	IS_TEXT("--folded pid", folded_list, NULL);
	IS_TEXT("--folded pid", input, "pid");
}
END_TEST

START_TEST(one_recording_can_be_given)
{
	IS_TEXT("a.data", input, "a.data");
	IS_TEXT("-", input, "-");
	IS_TEXT("-i -", input, "-");
	IS_TEXT("a.data -G", input, "a.data");
	IS_FLAG("a.data -G", hide_call_graph);
	IS_TEXT("-- -G", input, "-G");
	is_refused("a b", "'b': only one recording can be given");
	is_refused("-i a b", "'b': the recording is given already (a)");
}
END_TEST

START_TEST(names_can_be_cut_while_they_mean_one_option)
{
	IS_FLAG("--hide", hide_call_graph);
	IS_FLAG("--show-ta", show_task);
	IS_TEXT("--graph main", graph_function, "main");
	IS_FLAG("--no-inl", no_inline);
	IS_TEXT("--kall=x", kallsyms, "x");
	is_refused("--sym x", "'--sym' could be --symfs or --symbols");
	is_refused("--show-t", "'--show-t' could be --show-task-events or --show-text-poke-events");
	is_refused("--ti=1,", "'--ti' could be --tid or --time");
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
	is_refused("--nonsense", "'--nonsense': no such option");
	is_refused("--nonsense=3 x", "'--nonsense': no such option");
	is_refused("-x", "'-x': no such option");
	is_refused("-Gx", "'-x': no such option");
	is_refused("-xG", "'-x': no such option");
	is_refused("-i", "'-i' needs a value");
	is_refused("-Gi", "'-i' needs a value");
	is_refused("--kallsyms", "'--kallsyms' needs a value");
	is_refused("--kall", "'--kallsyms' needs a value");
	is_refused("--ns=3", "'--ns' takes no value");
	is_refused("--no-ns=3", "'--no-ns' takes no value");
	is_refused("--symfs b,deep", "--symfs: 'deep' is neither hierarchy nor flat");
	is_refused("--no-kallsyms", "'--no-kallsyms': no such option");
}
END_TEST

START_TEST(what_perf_script_knows_and_makes_no_sense_here_is_explained)
{
	is_refused("-l", "--list does not apply here: there are no scripts to list");
	is_refused("-s x.py", "--script does not apply here: scripts are not run: pipe the text into one");
	is_refused("--script=x.py",
		   "--script does not apply here: scripts are not run: pipe the text into one");
	is_refused("-g python",
		   "--gen-script does not apply here: scripts are not run: pipe the text into one");
	is_refused("--dlfilter x", "--dlfilter does not apply here: dlfilters are perf's own plugins");
	is_refused("-d", "--debug-mode does not apply here: what is lost or out of order is always counted");
	is_refused("--itrace", "--itrace does not apply here: processor traces are not decoded");
	is_refused("--itrace=i10us", "--itrace does not apply here: processor traces are not decoded");
}
END_TEST

START_TEST(what_perf_script_needs_and_we_do_not_is_accepted)
{
	IS_FLAG("-f --no-force -a --unwind-style frame --addr2line /usr/bin/addr2line --ns", ns);
	IS_FLAG("--no-itrace --no-debug-mode --ns", ns);
}
END_TEST

START_TEST(help_lists_every_name)
{
	char *help = NULL, *names = NULL;
	size_t size;

	FILE *to = open_memstream(&help, &size);
	options_print_help(to);
	fclose(to);
	to = open_memstream(&names, &size);
	options_print_names(to);
	fclose(to);
	ck_assert_ptr_nonnull(strstr(help, "Usage: perf2txt [OPTION]... [FILE]\n"));
	ck_assert_ptr_null(strstr(help, "gen-script"));
	for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
		AUTOFREE char *as_no = xasprintf("--[no-]%s", name + (name[1] == '-' ? 2 : 0));
		ck_assert_msg(strstr(help, name) || strstr(help, as_no), "no %s in --help", name);
		if (name[1] != '-')
			ck_assert_uint_eq(strlen(name), 2);
	}
	free(help);
	free(names);
}
END_TEST

static int status_of(const char *arguments)
{
	const char *top = getenv("top_builddir");
	AUTOFREE char *command = xasprintf("%s/perf2txt %s >/dev/null 2>&1", top ? top : ".", arguments);
	int status = system(command);

	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(the_program_ends_with_the_status_that_the_manual_says)
{
	ck_assert_int_eq(status_of("--help"), STATUS_OK);
	ck_assert_int_eq(status_of("--version"), STATUS_OK);
	ck_assert_int_eq(status_of("--nonsense"), STATUS_USAGE);
	ck_assert_int_eq(status_of("-s x"), STATUS_USAGE);
	ck_assert_int_eq(status_of("a b"), STATUS_USAGE);
	ck_assert_int_eq(status_of("/nonexistent/perf.data"), STATUS_FAILED);
	ck_assert_int_eq(status_of("/dev/null"), STATUS_FAILED);
	ck_assert_int_eq(status_of("-F nonsense /nonexistent"), STATUS_FIELDS);
	ck_assert_int_eq(status_of("-F comm -F nonsense /nonexistent"), STATUS_FIELDS);
}
END_TEST

CHECK_SUITE("options", nothing_is_set_without_options, flags_have_a_name_a_letter_and_a_no_form,
	    what_is_on_by_itself_is_turned_off, the_last_value_counts, lists_keep_all_values_in_order,
	    numbers, folded_may_have_a_list, stats_may_have_a_form, one_recording_can_be_given,
	    names_can_be_cut_while_they_mean_one_option, what_is_wrong_is_named,
	    what_perf_script_knows_and_makes_no_sense_here_is_explained,
	    what_perf_script_needs_and_we_do_not_is_accepted, help_lists_every_name,
	    the_program_ends_with_the_status_that_the_manual_says)
