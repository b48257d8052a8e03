#include "events/record.h"

#include "tests/bytes.h"
#include "tests/check_run.h"

static struct bytes b;
static struct evlist *evlist;

static void start(bool big_endian, uint32_t type, uint16_t misc)
{
	bytes_start(&b, big_endian);
	put_header(&b, type, misc);
}

static struct event *event_of(uint64_t sample_type, bool sample_id_all)
{
	struct attr attr = {
		.size = 144,
		.sample_type = sample_type,
		.flags = (uint64_t)sample_id_all << ATTR_SAMPLE_ID_ALL,
	};

	evlist_free(evlist);
	evlist = evlist_new(b.big_endian);
	struct event *event = evlist_add(evlist, &attr, NULL, 0, NULL);
	evlist_finish(evlist);
	return event;
}

/* Decode what was put, as a record of an event without a trailer. */
static struct record decode(uint32_t type, uint16_t misc)
{
	struct raw_record raw = raw_of(&b, type, misc);
	struct record record;

	ck_assert_ptr_null(record_decode(&raw, event_of(0, false), b.big_endian, &record));
	ck_assert_uint_eq(record.type, type);
	ck_assert_uint_eq(record.misc, misc);
	return record;
}

/* Shorter than @needed it must be refused, from there on not. */
static void expect_cuts_refused(uint32_t type, uint16_t misc, size_t needed)
{
	struct raw_record raw = raw_of(&b, type, misc);
	struct event *event = event_of(0, false);

	for (uint16_t size = RECORD_HEADER_SIZE; size <= raw.size; size++) {
		uint8_t *block;
		struct record record;
		struct raw_record part = cut_record(&raw, size, &block);
		const char *reason = record_decode(&part, event, b.big_endian, &record);
		ck_assert_msg(!reason == (size >= needed), "type %u of %u bytes: %s", type, size,
			      reason ? reason : "accepted");
		free(block);
	}
}

static void put_mmap_start(uint32_t type, uint16_t misc, bool big_endian)
{
	start(big_endian, type, misc);
	put_u32(&b, 100);
	put_u32(&b, 101);
	put_u64(&b, 0x400000);
	put_u64(&b, 0x1000);
	put_u64(&b, 0x2000);
}

START_TEST(mmap_is_executable_unless_it_is_data)
{
	EACH_ORDER(big_endian)
	{
		put_mmap_start(RECORD_MMAP, 0, big_endian);
		put_name(&b, "/bin/true");
		struct record r = decode(RECORD_MMAP, 0);
		ck_assert_uint_eq(r.mmap.pid, 100);
		ck_assert_uint_eq(r.mmap.tid, 101);
		ck_assert_uint_eq(r.mmap.start, 0x400000);
		ck_assert_uint_eq(r.mmap.len, 0x1000);
		ck_assert_uint_eq(r.mmap.pgoff, 0x2000);
		ck_assert_uint_eq(r.mmap.prot, PROT_FLAG_EXEC);
		ck_assert_uint_eq(r.mmap.flags, 0);
		ck_assert(!r.mmap.has_inode && !r.mmap.has_build_id);
		ck_assert_str_eq(r.mmap.filename, "/bin/true");
		r = decode(RECORD_MMAP, MISC_MMAP_DATA);
		ck_assert_uint_eq(r.mmap.prot, 0);
		expect_cuts_refused(RECORD_MMAP, 0, 40 + sizeof("/bin/true"));
	}
}
END_TEST

START_TEST(mmap2_has_protection_and_inode_in_both_orders)
{
	EACH_ORDER(big_endian)
	{
		put_mmap_start(RECORD_MMAP2, 0, big_endian);
		put_u32(&b, 8);
		put_u32(&b, 1);
		put_u64(&b, 1234567);
		put_u64(&b, 42);
		put_u32(&b, 5);
		put_u32(&b, 2);
		put_name(&b, "/bin/true");
		struct record r = decode(RECORD_MMAP2, 0);
		ck_assert(r.mmap.has_inode && !r.mmap.has_build_id);
		ck_assert_uint_eq(r.mmap.maj, 8);
		ck_assert_uint_eq(r.mmap.min, 1);
		ck_assert_uint_eq(r.mmap.ino, 1234567);
		ck_assert_uint_eq(r.mmap.ino_generation, 42);
		ck_assert_uint_eq(r.mmap.prot, 5);
		ck_assert_uint_eq(r.mmap.flags, 2);
		ck_assert_str_eq(r.mmap.filename, "/bin/true");
		expect_cuts_refused(RECORD_MMAP2, 0, 72 + sizeof("/bin/true"));
	}
}
END_TEST

START_TEST(mmap2_may_have_a_build_id_instead)
{
	EACH_ORDER(big_endian)
	{
		char hex[BUILD_ID_HEX];
		put_mmap_start(RECORD_MMAP2, MISC_MMAP_BUILD_ID, big_endian);
		put_u8(&b, 8);
		put_zeros(&b, 3);
		put_bytes(&b, "\x01\x23\x45\x67\x89\xab\xcd\xef\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		put_u32(&b, 5);
		put_u32(&b, 1);
		put_name(&b, "/lib/x.so");
		struct record r = decode(RECORD_MMAP2, MISC_MMAP_BUILD_ID);
		ck_assert(!r.mmap.has_inode && r.mmap.has_build_id);
		ck_assert_str_eq(build_id_hex(&r.mmap.build_id, hex), "0123456789abcdef");
		ck_assert_uint_eq(r.mmap.prot, 5);
		ck_assert_uint_eq(r.mmap.flags, 1);
		ck_assert_str_eq(r.mmap.filename, "/lib/x.so");
		/* A kernel set the bit for another recorder; what stands there is an inode. */
		static const uint32_t majors[] = { 254, 8, 0 };
		for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++) {
			put_mmap_start(RECORD_MMAP2, MISC_MMAP_BUILD_ID, big_endian);
			put_u32(&b, majors[i]);
			put_u32(&b, 1);
			put_u64(&b, 11214871);
			put_u64(&b, 2957021764);
			put_u32(&b, 5);
			put_u32(&b, 1);
			put_name(&b, "/lib/x.so");
			r = decode(RECORD_MMAP2, MISC_MMAP_BUILD_ID);
			ck_assert(r.mmap.has_inode && !r.mmap.has_build_id && !r.mmap.build_id.size);
			ck_assert_uint_eq(r.mmap.maj, majors[i]);
			ck_assert_uint_eq(r.mmap.ino, 11214871);
			ck_assert_uint_eq(r.mmap.ino_generation, 2957021764);
			ck_assert_str_eq(r.mmap.filename, "/lib/x.so");
		}
		expect_cuts_refused(RECORD_MMAP2, MISC_MMAP_BUILD_ID, 72 + sizeof("/lib/x.so"));
	}
}
END_TEST

START_TEST(a_text_that_does_not_end_in_the_record_is_refused)
{
	struct record record;

	start(false, RECORD_COMM, 0);
	put_u64(&b, 1);
	put_bytes(&b, "12345678", 8);
	struct raw_record raw = raw_of(&b, RECORD_COMM, 0);
	ck_assert_ptr_nonnull(record_decode(&raw, event_of(0, false), false, &record));
}
END_TEST

START_TEST(comm_tells_of_exec)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_COMM, 0);
		put_u32(&b, 7);
		put_u32(&b, 8);
		put_name(&b, "worker 1");
		struct record r = decode(RECORD_COMM, MISC_COMM_EXEC);
		ck_assert_uint_eq(r.comm.pid, 7);
		ck_assert_uint_eq(r.comm.tid, 8);
		ck_assert_str_eq(r.comm.comm, "worker 1");
		ck_assert(r.comm.exec);
		ck_assert(!decode(RECORD_COMM, 0).comm.exec);
		expect_cuts_refused(RECORD_COMM, 0, 16 + sizeof("worker 1"));
	}
}
END_TEST

START_TEST(fork_and_exit_have_the_same_layout)
{
	EACH_ORDER(big_endian)
	{
		for (uint32_t type = RECORD_EXIT; type <= RECORD_FORK; type += RECORD_FORK - RECORD_EXIT) {
			start(big_endian, type, 0);
			put_u32(&b, 1);
			put_u32(&b, 2);
			put_u32(&b, 3);
			put_u32(&b, 4);
			put_u64(&b, 5);
			struct record r = decode(type, 0);
			ck_assert_uint_eq(r.task.pid, 1);
			ck_assert_uint_eq(r.task.ppid, 2);
			ck_assert_uint_eq(r.task.tid, 3);
			ck_assert_uint_eq(r.task.ptid, 4);
			ck_assert_uint_eq(r.task.time, 5);
			expect_cuts_refused(type, 0, 32);
		}
	}
}
END_TEST

START_TEST(records_of_a_few_numbers_are_read)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_LOST, 0);
		put_u64(&b, 9);
		put_u64(&b, 10);
		struct record r = decode(RECORD_LOST, 0);
		ck_assert_uint_eq(r.lost.id, 9);
		ck_assert_uint_eq(r.lost.lost, 10);
		expect_cuts_refused(RECORD_LOST, 0, 24);
		r = decode(RECORD_LOST_SAMPLES, 0);
		ck_assert_uint_eq(r.lost.id, 0);
		ck_assert_uint_eq(r.lost.lost, 9);
		put_u64(&b, 11);
		r = decode(RECORD_UNTHROTTLE, 0);
		ck_assert_uint_eq(r.throttle.time, 9);
		ck_assert_uint_eq(r.throttle.id, 10);
		ck_assert_uint_eq(r.throttle.stream_id, 11);
		expect_cuts_refused(RECORD_THROTTLE, 0, 32);
		r = decode(RECORD_AUX, 0);
		ck_assert_uint_eq(r.aux.offset, 9);
		ck_assert_uint_eq(r.aux.size, 10);
		ck_assert_uint_eq(r.aux.flags, 11);
		expect_cuts_refused(RECORD_AUX, 0, 32);

		start(big_endian, RECORD_ITRACE_START, 0);
		put_u32(&b, 12);
		put_u32(&b, 13);
		r = decode(RECORD_ITRACE_START, 0);
		ck_assert_uint_eq(r.itrace.pid, 12);
		ck_assert_uint_eq(r.itrace.tid, 13);
		expect_cuts_refused(RECORD_ITRACE_START, 0, 16);
	}
}
END_TEST

START_TEST(switches_tell_direction_and_neighbour)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_SWITCH, 0);
		struct record r = decode(RECORD_SWITCH, MISC_SWITCH_OUT);
		ck_assert(r.sw.out && !r.sw.preempt && !r.sw.wide);
		put_u32(&b, 12);
		put_u32(&b, 13);
		r = decode(RECORD_SWITCH_CPU_WIDE, MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT);
		ck_assert(r.sw.out && r.sw.preempt && r.sw.wide);
		ck_assert_uint_eq(r.sw.next_prev_pid, 12);
		ck_assert_uint_eq(r.sw.next_prev_tid, 13);
		ck_assert(!decode(RECORD_SWITCH_CPU_WIDE, 0).sw.out);
		expect_cuts_refused(RECORD_SWITCH_CPU_WIDE, 0, 16);
	}
}
END_TEST

static void expect_read(struct event *event, uint64_t format, const struct record_read *expected)
{
	struct raw_record raw = raw_of(&b, RECORD_READ, 0);
	struct record r;

	event->attr.read_format = format;
	ck_assert_ptr_null(record_decode(&raw, event, b.big_endian, &r));
	ck_assert_mem_eq(&r.read, expected, sizeof(*expected));
}

START_TEST(counts_have_what_was_asked_for)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_READ, 0);
		put_u32(&b, 100);
		put_u32(&b, 101);
		put_u64(&b, 11);
		expect_cuts_refused(RECORD_READ, 0, 24);
		put_u64(&b, 12);
		put_u64(&b, 13);
		struct event *event = event_of(0, false);
		expect_read(event, 0, &(struct record_read){ 100, 101, 11, 0, 0, 0, 0 });
		expect_read(event, READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING,
			    &(struct record_read){ 100, 101, 11, 12, 13, 0, 0 });
		expect_read(event, READ_ID | READ_LOST, &(struct record_read){ 100, 101, 11, 0, 0, 12, 13 });
		struct raw_record raw = raw_of(&b, RECORD_READ, 0);
		struct record r;
		event->attr.read_format = READ_TOTAL_TIME_RUNNING | READ_ID | READ_LOST;
		ck_assert_ptr_nonnull(record_decode(&raw, event, big_endian, &r));

		start(big_endian, RECORD_AUX_OUTPUT_HW_ID, 0);
		put_u64(&b, 0x77);
		ck_assert_uint_eq(decode(RECORD_AUX_OUTPUT_HW_ID, 0).hw_id, 0x77);
		expect_cuts_refused(RECORD_AUX_OUTPUT_HW_ID, 0, 16);
	}
}
END_TEST

static void put_namespaces(bool big_endian, uint64_t says, uint64_t nr)
{
	start(big_endian, RECORD_NAMESPACES, 0);
	put_u32(&b, 1);
	put_u32(&b, 2);
	put_u64(&b, says);
	for (uint64_t i = 0; i < nr; i++) {
		put_u64(&b, 100 + i);
		put_u64(&b, 200 + i);
	}
}

START_TEST(seven_namespaces_are_kept)
{
	EACH_ORDER(big_endian)
	{
		put_namespaces(big_endian, 9, 9);
		struct record r = decode(RECORD_NAMESPACES, 0);
		ck_assert_uint_eq(r.namespaces.pid, 1);
		ck_assert_uint_eq(r.namespaces.tid, 2);
		ck_assert_uint_eq(r.namespaces.nr, 9);
		ck_assert_uint_eq(r.namespaces.at[6].dev, 106);
		ck_assert_uint_eq(r.namespaces.at[6].ino, 206);
		expect_cuts_refused(RECORD_NAMESPACES, 0, 24 + 9 * 16);
		put_namespaces(big_endian, 2, 2);
		ck_assert_uint_eq(decode(RECORD_NAMESPACES, 0).namespaces.at[1].ino, 201);
		put_namespaces(big_endian, ((uint64_t)1 << 60) + 1, 2);
		expect_cuts_refused(RECORD_NAMESPACES, 0, SIZE_MAX);
	}
}
END_TEST

START_TEST(kernel_symbols_and_programs_are_read)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_KSYMBOL, 0);
		put_u64(&b, 0xffffffffc0001000);
		put_u32(&b, 300);
		put_u16(&b, 1);
		put_u16(&b, 2);
		put_name(&b, "bpf_prog_x");
		struct record r = decode(RECORD_KSYMBOL, 0);
		ck_assert_uint_eq(r.ksymbol.addr, 0xffffffffc0001000);
		ck_assert_uint_eq(r.ksymbol.len, 300);
		ck_assert_uint_eq(r.ksymbol.ksym_type, 1);
		ck_assert_uint_eq(r.ksymbol.flags, 2);
		ck_assert_str_eq(r.ksymbol.name, "bpf_prog_x");
		expect_cuts_refused(RECORD_KSYMBOL, 0, 24 + sizeof("bpf_prog_x"));

		start(big_endian, RECORD_BPF_EVENT, 0);
		put_u16(&b, 1);
		put_u16(&b, 0);
		put_u32(&b, 77);
		put_bytes(&b, "tagbytes", 8);
		r = decode(RECORD_BPF_EVENT, 0);
		ck_assert_uint_eq(r.bpf.bpf_type, 1);
		ck_assert_uint_eq(r.bpf.id, 77);
		ck_assert_mem_eq(r.bpf.tag, "tagbytes", 8);
		expect_cuts_refused(RECORD_BPF_EVENT, 0, 24);

		start(big_endian, RECORD_CGROUP, 0);
		put_u64(&b, 5);
		put_name(&b, "/system.slice");
		r = decode(RECORD_CGROUP, 0);
		ck_assert_uint_eq(r.cgroup.id, 5);
		ck_assert_str_eq(r.cgroup.path, "/system.slice");
		expect_cuts_refused(RECORD_CGROUP, 0, 16 + sizeof("/system.slice"));
	}
}
END_TEST

START_TEST(text_poke_lends_its_bytes)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_TEXT_POKE, 0);
		put_u64(&b, 0xffffffff81000000);
		put_u16(&b, 5);
		put_u16(&b, 3);
		put_bytes(&b, "OOOOONNN", 8);
		put_zeros(&b, 4);
		struct record r = decode(RECORD_TEXT_POKE, 0);
		ck_assert_uint_eq(r.text_poke.addr, 0xffffffff81000000);
		ck_assert_uint_eq(r.text_poke.old_len, 5);
		ck_assert_uint_eq(r.text_poke.new_len, 3);
		ck_assert_mem_eq(r.text_poke.old_bytes, "OOOOO", 5);
		ck_assert_mem_eq(r.text_poke.new_bytes, "NNN", 3);
		expect_cuts_refused(RECORD_TEXT_POKE, 0, 28);
	}
}
END_TEST

START_TEST(deferred_chains_are_lent)
{
	EACH_ORDER(big_endian)
	{
		start(big_endian, RECORD_CALLCHAIN_DEFERRED, 0);
		put_u64(&b, 0xc00c1e);
		put_u64(&b, 2);
		put_u64(&b, 0x401000);
		put_u64(&b, 0x402000);
		struct record r = decode(RECORD_CALLCHAIN_DEFERRED, 0);
		ck_assert_uint_eq(r.deferred.cookie, 0xc00c1e);
		ck_assert_uint_eq(r.deferred.nr, 2);
		ck_assert_uint_eq(record_deferred_ip(&r, 0, big_endian), 0x401000);
		ck_assert_uint_eq(record_deferred_ip(&r, 1, big_endian), 0x402000);
		expect_cuts_refused(RECORD_CALLCHAIN_DEFERRED, 0, 40);
	}
}
END_TEST

static void put_auxtrace_error(bool big_endian, uint32_t fmt)
{
	start(big_endian, RECORD_AUXTRACE_ERROR, 0);
	put_u32(&b, 1);
	put_u32(&b, 2);
	put_u32(&b, 3);
	put_u32(&b, 4);
	put_u32(&b, 5);
	put_u32(&b, fmt);
	put_u64(&b, 0x401000);
	if (fmt >= 1)
		put_u64(&b, 777);
	put_name(&b, "Lost trace data");
}

START_TEST(auxtrace_errors_grew_with_their_format)
{
	EACH_ORDER(big_endian)
	{
		put_auxtrace_error(big_endian, 0);
		struct record r = decode(RECORD_AUXTRACE_ERROR, 0);
		ck_assert_uint_eq(r.auxtrace_error.error_type, 1);
		ck_assert_uint_eq(r.auxtrace_error.code, 2);
		ck_assert_uint_eq(r.auxtrace_error.cpu, 3);
		ck_assert_uint_eq(r.auxtrace_error.pid, 4);
		ck_assert_uint_eq(r.auxtrace_error.tid, 5);
		ck_assert_uint_eq(r.auxtrace_error.ip, 0x401000);
		ck_assert_uint_eq(r.auxtrace_error.time, 0);
		ck_assert_str_eq(r.auxtrace_error.msg, "Lost trace data");
		expect_cuts_refused(RECORD_AUXTRACE_ERROR, 0, 41);
		put_auxtrace_error(big_endian, 1);
		r = decode(RECORD_AUXTRACE_ERROR, 0);
		ck_assert_uint_eq(r.auxtrace_error.time, 777);
		ck_assert_str_eq(r.auxtrace_error.msg, "Lost trace data");
		expect_cuts_refused(RECORD_AUXTRACE_ERROR, 0, 49);
		put_auxtrace_error(big_endian, 2);
		put_zeros(&b, 64 - 16);
		put_u32(&b, 88);
		put_u32(&b, 6);
		r = decode(RECORD_AUXTRACE_ERROR, 0);
		ck_assert_uint_eq(r.auxtrace_error.machine_pid, 88);
		ck_assert_uint_eq(r.auxtrace_error.vcpu, 6);
		expect_cuts_refused(RECORD_AUXTRACE_ERROR, 0, 48 + 64 + 8);
	}
}
END_TEST

START_TEST(bpf_metadata_is_a_list_of_pairs)
{
	EACH_ORDER(big_endian)
	{
		const char *key, *value;
		start(big_endian, RECORD_BPF_METADATA, 0);
		put_bytes(&b, "prog", 4);
		put_zeros(&b, 508);
		put_u64(&b, 2);
		for (int i = 0; i < 2; i++) {
			put_bytes(&b, i ? "k1" : "k0", 2);
			put_zeros(&b, 62);
			put_bytes(&b, i ? "v1" : "v0", 2);
			put_zeros(&b, 254);
		}
		struct record r = decode(RECORD_BPF_METADATA, 0);
		ck_assert_str_eq(r.bpf_metadata.prog, "prog");
		ck_assert_uint_eq(r.bpf_metadata.nr, 2);
		record_bpf_metadata_entry(&r, 1, &key, &value);
		ck_assert_str_eq(key, "k1");
		ck_assert_str_eq(value, "v1");
		expect_cuts_refused(RECORD_BPF_METADATA, 0, 528 + 2 * 320);
	}
}
END_TEST

START_TEST(the_trailer_is_found_from_the_end)
{
	EACH_ORDER(big_endian)
	{
		struct record r;
		start(big_endian, RECORD_COMM, 0);
		put_u64(&b, 1);
		put_name(&b, "c");
		put_u32(&b, 20);
		put_u32(&b, (uint32_t)-1);
		put_u64(&b, 22);
		put_u64(&b, 23);
		put_u64(&b, 24);
		put_u32(&b, 25);
		put_u32(&b, 0);
		put_u64(&b, 23);
		struct raw_record raw = raw_of(&b, RECORD_COMM, 0);
		struct event *event = event_of(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID |
						       SAMPLE_CPU | SAMPLE_IDENTIFIER | SAMPLE_IP,
					       true);
		ck_assert_ptr_null(record_decode(&raw, event, big_endian, &r));
		ck_assert_int_eq(r.sid.pid, 20);
		ck_assert_int_eq(r.sid.tid, -1);
		ck_assert_uint_eq(r.sid.time, 22);
		ck_assert_uint_eq(r.sid.id, 23);
		ck_assert_uint_eq(r.sid.stream_id, 24);
		ck_assert_int_eq(r.sid.cpu, 25);
		event = event_of(SAMPLE_TIME | SAMPLE_IDENTIFIER, true);
		ck_assert_ptr_null(record_decode(&raw, event, big_endian, &r));
		ck_assert_int_eq(r.sid.pid, -1);
		ck_assert_int_eq(r.sid.cpu, -1);
		ck_assert_uint_eq(r.sid.stream_id, UINT64_MAX);
	}
}
END_TEST

START_TEST(without_a_trailer_nothing_is_known)
{
	struct record r;

	start(false, RECORD_COMM, 0);
	put_u64(&b, 1);
	put_name(&b, "c");
	r = decode(RECORD_COMM, 0);
	ck_assert_int_eq(r.sid.pid, -1);
	ck_assert_uint_eq(r.sid.time, UINT64_MAX);
	/* The event's records should have one, but this one has no room for it. */
	struct raw_record raw = raw_of(&b, RECORD_COMM, 0);
	ck_assert_ptr_null(record_decode(&raw, event_of(SAMPLE_TIME, true), false, &r));
	ck_assert_str_eq(r.comm.comm, "c");
	ck_assert_uint_eq(r.sid.time, UINT64_MAX);
	/* Records of the tool have none, and may come without an event. */
	start(false, RECORD_FINISHED_ROUND, 0);
	raw = raw_of(&b, RECORD_FINISHED_ROUND, 0);
	ck_assert_ptr_null(record_decode(&raw, NULL, false, &r));
	ck_assert_uint_eq(r.sid.time, UINT64_MAX);
}
END_TEST

START_TEST(a_type_without_layout_has_its_trailer_only)
{
	struct record r;

	start(true, 30, 0);
	put_u64(&b, 99);
	put_u64(&b, 5);
	struct raw_record raw = raw_of(&b, 30, 0);
	ck_assert_ptr_null(record_decode(&raw, event_of(SAMPLE_TIME, true), true, &r));
	ck_assert_uint_eq(r.sid.time, 5);
}
END_TEST

START_TEST(a_bad_record_leaves_the_output_alone)
{
	struct record r = { .type = 12345 };

	start(false, RECORD_COMM, 0);
	struct raw_record raw = raw_of(&b, RECORD_COMM, 0);
	ck_assert_ptr_nonnull(record_decode(&raw, event_of(0, false), false, &r));
	ck_assert_uint_eq(r.type, 12345);
	evlist_free(evlist);
	evlist = NULL;
}
END_TEST

START_TEST(names_are_those_that_perf_prints)
{
	ck_assert_str_eq(record_type_name(1), "MMAP");
	ck_assert_str_eq(record_type_name(10), "MMAP2");
	ck_assert_str_eq(record_type_name(22), "CALLCHAIN_DEFERRED");
	ck_assert_str_eq(record_type_name(64), "ATTR");
	ck_assert_str_eq(record_type_name(68), "FINISHED_ROUND");
	ck_assert_str_eq(record_type_name(69), "ID_INDEX");
	ck_assert_str_eq(record_type_name(80), "FEATURE");
	ck_assert_str_eq(record_type_name(83), "COMPRESSED2");
	ck_assert_str_eq(record_type_name(86), "SCHEDSTAT_DOMAIN");
	ck_assert_str_eq(record_type_name(30), "UNKNOWN");
	ck_assert_str_eq(record_type_name(87), "UNKNOWN");
	ck_assert_str_eq(record_type_name(UINT32_MAX), "UNKNOWN");
}
END_TEST

CHECK_SUITE("record", mmap_is_executable_unless_it_is_data, mmap2_has_protection_and_inode_in_both_orders,
	    mmap2_may_have_a_build_id_instead, a_text_that_does_not_end_in_the_record_is_refused,
	    comm_tells_of_exec, fork_and_exit_have_the_same_layout, records_of_a_few_numbers_are_read,
	    switches_tell_direction_and_neighbour, seven_namespaces_are_kept,
	    counts_have_what_was_asked_for, kernel_symbols_and_programs_are_read, text_poke_lends_its_bytes,
	    deferred_chains_are_lent,
	    auxtrace_errors_grew_with_their_format, bpf_metadata_is_a_list_of_pairs,
	    the_trailer_is_found_from_the_end, without_a_trailer_nothing_is_known,
	    a_type_without_layout_has_its_trailer_only, a_bad_record_leaves_the_output_alone,
	    names_are_those_that_perf_prints)
