#include "output/report.h"

#include "tests/check_run.h"

static void expect(const struct report *report, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	report_summary(out, report);
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(nothing_to_say_prints_nothing)
{
	struct diag *diag = diag_new();
	static const struct report_dso missing[] = { { "/bin/a", "not found", NULL, 0 },
						     { "/bin/b", NULL, NULL, 5 } };
	static const struct report_event events[] = { { "cycles", 10, true }, { "dummy:u", 0, false } };
	static const struct report_counter counters[] = { { "samples", 10 } };

	expect(&(struct report){ 0 }, "");
	expect(&(struct report){ .diag = diag,
				 .missing = missing,
				 .nr_missing = 2,
				 .events = events,
				 .nr_events = 2,
				 .weight_unit = "cycles",
				 .weight = 10,
				 .counters = counters,
				 .nr_counters = 1 },
	       "");
	diag_free(diag);
}
END_TEST

START_TEST(odd_records_are_named_with_the_first_of_them)
{
	struct diag *diag = diag_new();

	diag_note(diag, "records of unknown type skipped", 2, "type %d at offset 0x%x", 91, 0x120);
	diag_note(diag, "records of unknown type skipped", 1, "not kept");
	diag_note(diag, "incomplete record at the end of the file dropped", 1, "offset 0x%x", 0x99);
	diag_count(diag, "records that came too late", 4);
	expect(&(struct report){ .diag = diag },
	       "perf2txt: 3 records of unknown type skipped (first: type 91 at offset 0x120)\n"
	       "perf2txt: 1 incomplete record at the end of the file dropped (offset 0x99)\n"
	       "perf2txt: 4 records that came too late\n");
	diag_free(diag);
}
END_TEST

START_TEST(missing_files_are_listed_by_what_they_cost)
{
	static const struct report_dso missing[] = {
		{ "/bin/cheap", "not found", NULL, 1 },
		{ "/lib/b.so", "not found", "/sysroot/lib/b.so", 20 },
		{ "/lib/a.so", "other build-id", NULL, 20 },
		{ "/bin/there", NULL, NULL, 500 },
	};

	expect(&(struct report){ .missing = missing, .nr_missing = 4 },
	       "perf2txt: no symbols for /lib/a.so: other build-id; 20 samples\n"
	       "perf2txt: no symbols for /lib/b.so: not found, last looked at /sysroot/lib/b.so; 20 samples\n"
	       "perf2txt: no symbols for /bin/cheap: not found; 1 sample\n");
	expect(&(struct report){ .missing = missing + 2, .nr_missing = 2, .stats = true },
	       "perf2txt: without names: samples | binary | build-id | why | where it was looked for last\n"
	       "perf2txt:      500 | /bin/there | - | no symbol for some addresses | -\n"
	       "perf2txt:       20 | /lib/a.so | - | other build-id | -\n");
}
END_TEST

START_TEST(the_table_says_which_files_to_copy)
{
	static const struct report_dso missing[] = {
		{ "[kernel.kallsyms]", "no kernel symbols given", NULL, 9, "12ab", "/proc/kallsyms" },
		{ "/bin/a", "not found", "/root/bin/a", 20, "34cd", "/bin/a" },
		{ "[ext4]", "not found", NULL, 8, NULL, "/proc/kallsyms" },
		{ "/lib/b.so", "stripped", "/root/lib/b.so", 30, NULL, NULL },
	};

	expect(&(struct report){ .missing = missing, .nr_missing = 4, .stats = true },
	       "perf2txt: without names: samples | binary | build-id | why | where it was looked for last\n"
	       "perf2txt:       30 | /lib/b.so | - | stripped | /root/lib/b.so\n"
	       "perf2txt:       20 | /bin/a | 34cd | not found | /root/bin/a\n"
	       "perf2txt:        9 | [kernel.kallsyms] | 12ab | no kernel symbols given | -\n"
	       "perf2txt:        8 | [ext4] | - | not found | -\n"
	       "perf2txt: of the recorded machine, these files would help most: /bin/a, /proc/kallsyms\n");
}
END_TEST

static void expect_json(const struct report *report, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	report_json(out, report);
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(json_has_everything)
{
	struct diag *diag = diag_new();
	static const struct report_dso missing[] = {
		{ "/bin/\"a\\\n\xff\xc3\xa4\xed\xa0\x80", "not found", NULL, 20, "34cd", "/bin/a" },
		{ "/bin/b", NULL, "/bin/b", 30, NULL, NULL },
		{ "/bin/c", NULL, NULL, 0, NULL, NULL },
	};
	static const struct report_event events[] = { { "cycles", 10, true }, { "dummy", 0, false } };
	static const struct report_counter counters[] = { { "samples", 10 }, { "binaries", 3 } };
	static const struct report_counter stacks[] = { { "complete", 7 } };

	expect_json(&(struct report){ 0 },
		    "{\"counters\":{},\n\"binaries\":[],\n\"notes\":[],\n\"user_stacks\":{},\n"
		    "\"events\":[],\n\"weights\":{\"unit\":null,\"sum\":0}}\n");
	diag_count(diag, "nothing", 0);
	diag_note(diag, "records skipped", 2, "type %d", 91);
	expect_json(&(struct report){ .diag = diag,
				      .missing = missing,
				      .nr_missing = 3,
				      .events = events,
				      .nr_events = 2,
				      .counters = counters,
				      .nr_counters = 2,
				      .stacks = stacks,
				      .nr_stacks = 1,
				      .weight_unit = "cycles",
				      .weight = 5 },
		    "{\"counters\":{\"samples\":10,\"binaries\":3},\n\"binaries\":["
		    "\n {\"name\":\"/bin/b\",\"build_id\":null,\"samples\":30,\"reason\":null,"
		    "\"looked_at\":\"/bin/b\"},"
		    "\n {\"name\":\"/bin/\\\"a\\\\\\u000a\\udcff\xc3\xa4\\udced\\udca0\\udc80\","
		    "\"build_id\":\"34cd\",\"samples\":20,\"reason\":\"not found\",\"looked_at\":null}],"
		    "\n\"notes\":[\n {\"count\":2,\"what\":\"records skipped\",\"example\":\"type 91\"}],"
		    "\n\"user_stacks\":{\"complete\":7},\n\"events\":["
		    "\n {\"name\":\"cycles\",\"samples\":10,\"counted\":true},"
		    "\n {\"name\":\"dummy\",\"samples\":0,\"counted\":false}],"
		    "\n\"weights\":{\"unit\":\"cycles\",\"sum\":5}}\n");
	diag_free(diag);
}
END_TEST

START_TEST(a_long_list_is_cut_unless_all_is_asked_for)
{
	struct report_dso missing[12];
	char names[12][8];

	for (int i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "/f%d", i % 100);
		missing[i] = (struct report_dso){ names[i], "not found", NULL, (uint64_t)(100 - i) };
	}
	expect(&(struct report){ .missing = missing, .nr_missing = 12 },
	       "perf2txt: no symbols for /f0: not found; 100 samples\n"
	       "perf2txt: no symbols for /f1: not found; 99 samples\n"
	       "perf2txt: no symbols for /f2: not found; 98 samples\n"
	       "perf2txt: no symbols for /f3: not found; 97 samples\n"
	       "perf2txt: no symbols for /f4: not found; 96 samples\n"
	       "perf2txt: no symbols for /f5: not found; 95 samples\n"
	       "perf2txt: no symbols for /f6: not found; 94 samples\n"
	       "perf2txt: no symbols for /f7: not found; 93 samples\n"
	       "perf2txt: no symbols for /f8: not found; 92 samples\n"
	       "perf2txt: no symbols for /f9: not found; 91 samples\n"
	       "perf2txt: no symbols for 2 more files, up to 179 samples (--stats lists them)\n");
}
END_TEST

START_TEST(no_name_of_a_recording_makes_lines_of_its_own)
{
	static const struct report_dso missing[] = { { "/b\n\x1b[2Jperf2txt: \x7f", "not found", "/r\r", 1,
						       NULL, "/w\n" } };
	struct diag *diag = diag_new();

	diag_note(diag, "odd records", 1, "a\tb\n\xc3\xbc");
	expect(&(struct report){ .diag = diag, .missing = missing, .nr_missing = 1 },
	       "perf2txt: 1 odd records (a?b?\xc3\xbc)\n"
	       "perf2txt: no symbols for /b??[2Jperf2txt: ?: not found, last looked at /r?; 1 sample\n");
	expect(&(struct report){ .missing = missing, .nr_missing = 1, .stats = true },
	       "perf2txt: without names: samples | binary | build-id | why | where it was looked for last\n"
	       "perf2txt:        1 | /b??[2Jperf2txt: ? | - | not found | /r?\n"
	       "perf2txt: of the recorded machine, these files would help most: /w?\n");
	diag_free(diag);
}
END_TEST

START_TEST(events_left_out_of_folded_stacks_are_named)
{
	static const struct report_event events[] = { { "cycles", 10, true },
						      { "dummy:u", 0, false },
						      { "instructions", 1, false } };

	expect(&(struct report){ .events = events, .nr_events = 3, .weight_unit = "cycles", .weight = 12345 },
	       "perf2txt: folded 10 samples of event cycles\n"
	       "perf2txt: the weights sum up to 12345 cycles\n"
	       "perf2txt: left out 1 sample of event instructions (--event-filter chooses events)\n");
}
END_TEST

START_TEST(stats_print_all_counters)
{
	static const struct report_event events[] = { { "cycles", 10, true } };
	static const struct report_counter counters[] = { { "samples", 10 }, { "records", 0 } };

	expect(&(struct report){ .events = events,
				 .nr_events = 1,
				 .counters = counters,
				 .nr_counters = 2,
				 .stats = true },
	       "perf2txt: folded 10 samples of event cycles\n"
	       "perf2txt: samples: 10\n"
	       "perf2txt: records: 0\n");
}
END_TEST

CHECK_SUITE("report", nothing_to_say_prints_nothing, odd_records_are_named_with_the_first_of_them,
	    missing_files_are_listed_by_what_they_cost, the_table_says_which_files_to_copy,
	    json_has_everything, a_long_list_is_cut_unless_all_is_asked_for,
	    no_name_of_a_recording_makes_lines_of_its_own, events_left_out_of_folded_stacks_are_named,
	    stats_print_all_counters)
