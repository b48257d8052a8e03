#include "output/fields.h"

#include "config.h"

#include "tests/output_text.h"

#define USUAL (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD)

static const struct fields_recording plain;

#define HEAD (FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT)
#define ADDRESS (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO)

static void expect_error(struct err *err, const char *text)
{
	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), text);
	err_free(err);
}

/* Parse @argument on top of the defaults and expect this error (NULL: none). */
static void parse(struct fields *fields, const char *argument, const char *error)
{
	struct err *err = fields_parse(fields, argument);

	if (error)
		expect_error(err, error);
	else
		ck_assert_ptr_null(err);
}

static void expect_refused(const char *argument, const char *error)
{
	struct fields fields;

	fields_init(&fields, false);
	parse(&fields, argument, error);
	fields_deinit(&fields);
}

START_TEST(defaults_depend_on_the_output_type)
{
	struct fields fields;

	fields_init(&fields, false);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, HEAD | FIELD_PERIOD | ADDRESS);
	ck_assert_uint_eq(fields.types[OUTPUT_SOFTWARE].on, HEAD | FIELD_PERIOD | ADDRESS | FIELD_BPF_OUTPUT);
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE);
	ck_assert_uint_eq(fields.types[OUTPUT_RAW].on, HEAD | FIELD_PERIOD | ADDRESS | FIELD_ADDR |
							       FIELD_DATA_SRC | FIELD_WEIGHT | FIELD_INS_LAT |
							       FIELD_RETIRE_LAT | FIELD_PHYS_ADDR |
							       FIELD_DATA_PAGE_SIZE | FIELD_CODE_PAGE_SIZE);
	ck_assert_uint_eq(fields.types[OUTPUT_OTHER].on, HEAD | FIELD_PERIOD | ADDRESS);
	ck_assert(fields.use_callchain);
	fields_deinit(&fields);
	fields_init(&fields, true);
	ck_assert(!fields.use_callchain);
}
END_TEST

START_TEST(the_output_type_follows_from_the_attr_type)
{
	struct attr attr = { .type = ATTR_RAW };

	ck_assert_int_eq(output_type_of(&attr), OUTPUT_RAW);
	attr.type = 8;
	ck_assert_int_eq(output_type_of(&attr), OUTPUT_OTHER);
	attr.type = 0x80000000u;
	ck_assert_int_eq(output_type_of(&attr), OUTPUT_SYNTH);
	attr.type = UINT32_MAX;
	ck_assert_int_eq(output_type_of(&attr), OUTPUT_OTHER);
	ck_assert_str_eq(output_type_name(OUTPUT_HW_CACHE), "hardware-cache");
}
END_TEST

START_TEST(a_plain_list_replaces_the_defaults_of_all_types)
{
	struct fields fields;

	fields_init(&fields, false);
	parse(&fields, "comm,,tid,flags", NULL);
	for (int type = 0; type < OUTPUT_TYPES; type++) {
		if (type != OUTPUT_SYNTH)
			ck_assert_uint_eq(fields.types[type].on, FIELD_COMM | FIELD_TID);
		ck_assert(fields.types[type].touched);
	}
	ck_assert(fields.flags);
	ck_assert_uint_eq(fields.warnings.count, 0);
	parse(&fields, "pid", NULL);
	ck_assert_uint_eq(fields.types[OUTPUT_RAW].on, FIELD_PID);
	ck_assert_str_eq(fields.warnings.at[0], "Overriding previous field request for all events.");
	fields_deinit(&fields);
}
END_TEST

START_TEST(plus_and_minus_change_the_defaults)
{
	struct fields fields;

	fields_init(&fields, false);
	parse(&fields, "+period,-ip,+srcline", NULL);
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on,
			  HEAD | FIELD_TRACE | FIELD_PERIOD | FIELD_SRCLINE);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on,
			  HEAD | FIELD_PERIOD | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_SRCLINE);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].refused, FIELD_IP);
	ck_assert_uint_eq(fields.warnings.count, 0);
	fields_deinit(&fields);
}
END_TEST

START_TEST(a_minus_inside_a_name_adds_to_the_defaults)
{
	struct fields fields;

	fields_init(&fields, false);
	parse(&fields, "misc,bpf-output", NULL);
	ck_assert_uint_eq(fields.types[OUTPUT_SOFTWARE].on,
			  HEAD | FIELD_PERIOD | ADDRESS | FIELD_BPF_OUTPUT | FIELD_MISC);
	ck_assert_uint_eq(fields.warnings.count, 6);
	ck_assert_str_eq(fields.warnings.at[0], "'bpf-output' not valid for hardware events. Ignoring.");
	ck_assert_str_eq(fields.warnings.at[5], "'bpf-output' not valid for unknown events. Ignoring.");
	fields_deinit(&fields);
}
END_TEST

START_TEST(a_typed_list_changes_that_type_only)
{
	struct fields fields;

	fields_init(&fields, false);
	parse(&fields, "trace:comm,time", NULL);
	parse(&fields, "hw:-period", NULL);
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, FIELD_COMM | FIELD_TIME);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, HEAD | ADDRESS);
	ck_assert_uint_eq(fields.types[OUTPUT_HW_CACHE].on, HEAD | FIELD_PERIOD | ADDRESS);
	parse(&fields, "hw:comm", NULL);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, FIELD_COMM);
	ck_assert_str_eq(fields.warnings.at[0], "Overriding previous field request for hardware events.");
	fields_deinit(&fields);
}
END_TEST

START_TEST(trace_for_all_types_warns_about_each_that_has_none)
{
	static const char *const expected[] = { "hardware",   "software", "hardware-cache", "raw",
						"breakpoint", "unknown",  "unknown" };
	struct fields fields;
	char line[80];

	fields_init(&fields, false);
	parse(&fields, "trace", NULL);
	ck_assert_uint_eq(fields.warnings.count, 7);
	for (size_t i = 0; i < 7; i++) {
		snprintf(line, sizeof(line), "'trace' not valid for %s events. Ignoring.", expected[i]);
		ck_assert_str_eq(fields.warnings.at[i], line);
	}
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, FIELD_TRACE);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, 0);
	fields_deinit(&fields);
}
END_TEST

START_TEST(wrong_usage_is_refused_with_perfs_words)
{
	expect_refused("foo:comm", "Invalid event type in field string.");
	expect_refused("comm:tid", "Invalid event type in field string.");
	expect_refused(":tid", "Invalid event type in field string.");
	expect_refused("foo", "Invalid field requested. ('foo')");
	expect_refused("hw:foo", "Invalid field requested. ('foo')");
	expect_refused("+", "Invalid field requested. ('')");
	expect_refused("hw:+", "Invalid field requested. ('')");
	expect_refused("comm,+pid", "Cannot mix +-field with overridden fields");
	expect_refused("+pid,comm", "Cannot mix +-field with overridden fields");
	expect_refused("", "Cannot set fields to 'none' for all event types.");
	expect_refused("sw:trace", "'trace' not valid for software events.");
	expect_refused("hw:bpf-output,ip", "'bpf-output' not valid for hardware events.");
	expect_refused(",", NULL);
}
END_TEST

/* fields_check_file() after these -F arguments (NULL-terminated), for one event of @sample_type. */
static struct err *check_one(struct fields *fields, uint64_t sample_type, const char *argument)
{
	struct test_events t = { 0 };

	test_event(&t, ATTR_HARDWARE, 0, "cycles", sample_type);
	fields_init(fields, false);
	if (argument)
		parse(fields, argument, NULL);
	struct err *err = fields_check_file(fields, &t.list, &plain);
	fields_deinit(fields);
	return err;
}

START_TEST(default_fields_that_samples_lack_go_silently)
{
	struct fields fields;

	ck_assert_ptr_null(check_one(&fields, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME, NULL));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on,
			  FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_EVENT | FIELD_PERIOD | ADDRESS);
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].ip_part, ADDRESS);
	/* A field asked for by type only counts as a default (perf 7.2). */
	ck_assert_ptr_null(check_one(&fields, USUAL, "hw:comm,addr"));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, FIELD_COMM);
}
END_TEST

START_TEST(fields_asked_for_by_name_are_refused)
{
	struct fields fields;

	expect_error(check_one(&fields, USUAL, "addr"),
		     "Samples for 'cycles' event do not have ADDR attribute set. Cannot print 'addr' field.");
	expect_error(
		check_one(&fields, USUAL, "comm,iregs"),
		"Samples for 'cycles' event do not have IREGS attribute set. Cannot print 'iregs' field.");
	expect_error(
		check_one(&fields, USUAL, "weight,ins_lat"),
		"Samples for 'cycles' event do not have WEIGHT attribute set. Cannot print 'weight' field.");
	expect_error(check_one(&fields, USUAL & ~SAMPLE_TID, "pid"),
		     "Samples for 'cycles' event do not have TID attribute set. Cannot print 'pid' field.");
	expect_error(
		check_one(&fields, USUAL, "cgroup"),
		"Samples for 'cycles' event do not have CGROUP attribute set. Cannot print 'cgroup' field.\n"
		"Hint: run 'perf record --all-cgroups ...'");
	ck_assert_ptr_null(check_one(&fields, USUAL | SAMPLE_WEIGHT_STRUCT, "weight,ins_lat"));
}
END_TEST

START_TEST(what_cannot_be_printed_at_all_is_refused)
{
	struct fields fields;

	expect_error(check_one(&fields, SAMPLE_TID | SAMPLE_TIME, NULL),
		     "Display of symbols requested but neither sample IP nor sample address\n"
		     "available. Hence, no addresses to convert to symbols.");
	expect_error(check_one(&fields, USUAL, "comm,symoff"),
		     "Display of offsets requested but symbol is notselected.");
	expect_error(check_one(&fields, SAMPLE_TID, "dso"),
		     "Display of DSO requested but no address to convert.");
	expect_error(check_one(&fields, USUAL, "comm,srcline"),
		     "Display of source line number requested but sample IP is not\n"
		     "selected. Hence, no address to lookup the source line number.");
	expect_error(check_one(&fields, USUAL, "comm,brstackinsn"),
		     "Display of branch stack assembler requested, but non all-branch filter set\n"
		     "Hint: run 'perf record -b ...'");
	expect_error(check_one(&fields, USUAL, "comm,brcntr"),
		     "Display of branch counter requested but it's not enabled\n"
		     "Hint: run 'perf record -j any,counter ...'");
	expect_error(check_one(&fields, USUAL, "comm,tod"),
		     "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
	expect_error(check_one(&fields, USUAL, "trace:"),
		     "tracepoint events do not exist. Remove corresponding -F option to proceed.");
	ck_assert_ptr_null(check_one(&fields, USUAL, "trace:comm"));
	ck_assert_ptr_null(check_one(&fields, USUAL, "hw:"));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, 0);
}
END_TEST

START_TEST(the_first_real_event_decides_for_its_type)
{
	struct fields fields;
	struct test_events t = { 0 };

	test_event(&t, ATTR_SOFTWARE, SW_DUMMY, "dummy", SAMPLE_TID);
	test_event(&t, ATTR_SOFTWARE, 0, "cpu-clock", USUAL & ~SAMPLE_CPU);
	test_event(&t, ATTR_SOFTWARE, 1, "task-clock", USUAL);
	fields_init(&fields, false);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert(!(fields.types[OUTPUT_SOFTWARE].on & FIELD_CPU));
	ck_assert(fields.types[OUTPUT_SOFTWARE].on & FIELD_IP);
	ck_assert(!fields.use_callchain);
}
END_TEST

START_TEST(aux_and_stat_recordings_are_forgiven)
{
	struct fields fields;
	struct test_events t = { 0 };
	struct fields_recording aux = { .has_auxtrace = true }, stat = { .has_stat = true };

	test_event(&t, ATTR_HARDWARE, 0, "cycles", SAMPLE_IP | SAMPLE_TID);
	fields_init(&fields, false);
	parse(&fields, "comm,cpu,addr", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &aux));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, FIELD_COMM | FIELD_CPU | FIELD_ADDR);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &stat));
	fields_deinit(&fields);
}
END_TEST

START_TEST(tracepoints_with_chains_get_addresses_unless_fields_were_changed)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *without = test_event(&t, ATTR_TRACEPOINT, 5, "a:b", USUAL | SAMPLE_RAW);
	struct event *with = test_event(&t, ATTR_TRACEPOINT, 6, "a:c", USUAL | SAMPLE_RAW | SAMPLE_CALLCHAIN);
	fields_init(&fields, false);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE | ADDRESS);
	ck_assert_uint_eq(fields_needs(&fields, with), NEED_TRACE | NEED_IP | NEED_CHAIN);
	ck_assert_uint_eq(fields_needs(&fields, without), NEED_TRACE | NEED_IP);
	ck_assert(fields_print_chain(&fields, with) && !fields_print_chain(&fields, without));

	fields_init(&fields, false);
	parse(&fields, "+period", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE | FIELD_PERIOD);

	fields_init(&fields, true);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE);
}
END_TEST

START_TEST(dsoff_implies_dso_in_files_only)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *event = test_event(&t, ATTR_HARDWARE, 0, "cycles", USUAL);
	fields_init(&fields, false);
	parse(&fields, "ip,dsoff", NULL);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, event, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, FIELD_IP | FIELD_DSOFF);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_HARDWARE].on, FIELD_IP | FIELD_DSOFF | FIELD_DSO);
	fields_deinit(&fields);
}
END_TEST

START_TEST(a_stream_adds_ip_and_sym_when_chains_come)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *first = test_event(&t, ATTR_TRACEPOINT, 5, "a:b", USUAL | SAMPLE_CALLCHAIN);
	fields_init(&fields, false);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, first, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE | FIELD_IP | FIELD_SYM);
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].ip_part, FIELD_IP | FIELD_SYM);

	fields_init(&fields, false);
	parse(&fields, "-ip", NULL);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, first, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE | FIELD_SYM);
	fields_deinit(&fields);

	fields_init(&fields, true);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, first, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE);
}
END_TEST

START_TEST(a_stream_checks_fields_before_it_adds_some)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *event = test_event(&t, ATTR_SOFTWARE, 0, "cpu-clock", USUAL | SAMPLE_CALLCHAIN);
	fields_init(&fields, false);
	parse(&fields, "sw:-ip", NULL);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, event, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_SOFTWARE].on & FIELD_IP, FIELD_IP);

	fields_init(&fields, false);
	parse(&fields, "sw:-sym", NULL);
	expect_error(fields_check_pipe(&fields, &t.list, event, &plain),
		     "Display of offsets requested but symbol is notselected.");

	fields_init(&fields, false);
	parse(&fields, "comm,srcline", NULL);
	expect_error(fields_check_pipe(&fields, &t.list, event, &plain),
		     "Display of source line number requested but sample IP is not\n"
		     "selected. Hence, no address to lookup the source line number.");
	fields_deinit(&fields);
}
END_TEST

START_TEST(a_stream_looks_at_the_first_attr_of_a_type_only)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *first = test_event(&t, ATTR_TRACEPOINT, 5, "a:b", USUAL);
	fields_init(&fields, false);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, first, &plain));
	struct event *second = test_event(&t, ATTR_TRACEPOINT, 6, "a:c", USUAL | SAMPLE_CALLCHAIN);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, second, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_TRACEPOINT].on, HEAD | FIELD_TRACE);
	struct event *pmu = test_event(&t, 8, 0, "pmu", 0);
	ck_assert_ptr_null(fields_check_pipe(&fields, &t.list, pmu, &plain));
	ck_assert_uint_eq(fields.types[OUTPUT_OTHER].on, HEAD | FIELD_PERIOD | ADDRESS);
	ck_assert_uint_eq(fields.types[OUTPUT_OTHER].ip_part, 0);
	struct event *hw = test_event(&t, ATTR_HARDWARE, 0, "cycles", SAMPLE_TID);
	expect_error(fields_check_pipe(&fields, &t.list, hw, &plain),
		     "Display of symbols requested but neither sample IP nor sample address\n"
		     "available. Hence, no addresses to convert to symbols.");
}
END_TEST

START_TEST(needs_follow_the_fields)
{
	struct test_events t = { 0 };
	struct fields fields;

	struct event *event = test_event(&t, ATTR_SOFTWARE, SW_PAGE_FAULTS, "page-faults",
					 USUAL | SAMPLE_ADDR | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK |
						 SAMPLE_CGROUP | SAMPLE_REGS_USER);
	fields_init(&fields, false);
	parse(&fields, "comm,addr,sym,ip,srcline,insn,cgroup,uregs,brstacksym", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields_needs_any(&fields, &t.list), NEED_IP | NEED_ADDR | NEED_CHAIN |
								      NEED_SRCLINE | NEED_INSN | NEED_CGROUP |
								      NEED_ARCH | NEED_BRANCHES);
	fields_deinit(&fields);
	fields_init(&fields, false);
	parse(&fields, "comm,ip,brstack", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields_needs(&fields, event), NEED_CHAIN);
	fields_deinit(&fields);
	event->attr.branch_sample_type = BRANCH_ANY;
	fields_init(&fields, true);
	parse(&fields, "brstackinsnlen,brstackdisasm,insnlen", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields_needs(&fields, event), NEED_CODE | NEED_DISASM | NEED_INSN);
	fields_deinit(&fields);
}
END_TEST

START_TEST(disasm_needs_a_disassembler)
{
	struct test_events t = { 0 };
	struct fields fields;
	struct event *event = test_event(&t, ATTR_HARDWARE, 0, "cycles", USUAL);

	fields_init(&fields, true);
#ifdef HAVE_CAPSTONE
	parse(&fields, "disasm", NULL);
	ck_assert_ptr_null(fields_check_file(&fields, &t.list, &plain));
	ck_assert_uint_eq(fields_needs(&fields, event), NEED_DISASM | NEED_INSN);
#else
	(void)event;
	parse(&fields, "disasm", "Field \"disasm\" requires perf2txt to be built with libcapstone support.");
#endif
	fields_deinit(&fields);
}
END_TEST

CHECK_SUITE("fields", disasm_needs_a_disassembler, defaults_depend_on_the_output_type,
	    the_output_type_follows_from_the_attr_type, a_plain_list_replaces_the_defaults_of_all_types,
	    plus_and_minus_change_the_defaults, a_minus_inside_a_name_adds_to_the_defaults,
	    a_typed_list_changes_that_type_only, trace_for_all_types_warns_about_each_that_has_none,
	    wrong_usage_is_refused_with_perfs_words, default_fields_that_samples_lack_go_silently,
	    fields_asked_for_by_name_are_refused, what_cannot_be_printed_at_all_is_refused,
	    the_first_real_event_decides_for_its_type, aux_and_stat_recordings_are_forgiven,
	    tracepoints_with_chains_get_addresses_unless_fields_were_changed, dsoff_implies_dso_in_files_only,
	    a_stream_adds_ip_and_sym_when_chains_come, a_stream_checks_fields_before_it_adds_some,
	    a_stream_looks_at_the_first_attr_of_a_type_only,
	    needs_follow_the_fields)
