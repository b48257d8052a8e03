/*
 * Whole runs on recordings of a host with virtual machines. What perf script 7.2 prints is expected, unless a
 * test says otherwise (DIFFERENCES).
 */
#include "tests/check_run.h"
#include "tests/mkperf.h"
#include "tests/mkspin.h"
#include "tests/whole_run.h"

#define KERNEL UINT64_C(0xffffffff81000000)
#define MODULE UINT64_C(0xffffffffc0000000)
#define CODE UINT64_C(0x555500000000)
#define ALL_OF_IT .len = 0x1000000, .pgoff = KERNEL, .start = KERNEL
#define SAMPLE_FIELDS (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER)
#define HOST "--kallsyms host "

static uint64_t now;

static void put_file(const char *name, const char *content)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	mkelf_text(path, content, strlen(content));
}

/* Each kernel has functions one and two, called after it, and 500's a module. */
static void put_kallsyms(const char *name, const char *whose)
{
	char content[512];

	snprintf(content, sizeof(content),
		 "ffffffff81000000 T _stext\nffffffff81001000 T %s_one\nffffffff81002000 T %s_two\n"
		 "ffffffff81003000 T %s_end\nffffffffc0001000 t %s_mod\t[gmod]\n"
		 "ffffffffc0002000 t %s_mod_end\t[gmod]\n",
		 whose, whose, whose, whose, whose);
	put_file(name, content);
}

static void set_up(void)
{
	whole_run_begin();
	ck_assert(mkelf_run("cd '%s' && mkdir -p guests/500/proc guests/700/proc", folder));
	put_kallsyms("host", "host");
	put_kallsyms("any", "any");
	put_kallsyms("guests/500/proc/kallsyms", "g500");
	put_kallsyms("guests/700/proc/kallsyms", "g700");
	now = 1000000;
}

static void tear_down(void)
{
	mkelf_remove(folder);
}

static void add_event(struct mkperf *m, uint64_t id, uint64_t more_fields)
{
	mkperf_event(m, .attr = { .sample_type = SAMPLE_FIELDS | more_fields, .flags = MK_SAMPLE_ID_ALL },
		     .name = "cycles", .ids = { id, id + 1 });
}

/* The hypervisor 500 with a virtual processor 501, and what the host's kernel is. */
static void add_host(struct mkperf *m)
{
	mkperf_mmap(m, .misc = CPUMODE_KERNEL, .pid = (uint32_t)-1, ALL_OF_IT,
		    .filename = "[kernel.kallsyms]_stext");
	mkperf_comm(m, .pid = 500, .tid = 500, .comm = "qemu");
	mkperf_comm(m, .pid = 500, .tid = 501, .comm = "CPU 0/KVM");
	mkperf_mmap2(m, .pid = 500, .tid = 500, .start = CODE, .len = 0x10000, .filename = "/usr/bin/qemu");
}

static struct mkperf *begin(struct mkperf_options options)
{
	struct mkperf *m = mkperf_new(options);

	add_event(m, 1, 0);
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	mkperf_nrcpus(m, 4, 4);
	return m;
}

static void finish(struct mkperf *m)
{
	mkperf_write(m, file);
	mkperf_free(m);
}

/* Where in the guest (or host) of its @event a task is. */
static void add_sample(struct mkperf *m, unsigned event, uint64_t id, uint16_t cpumode, uint32_t pid,
		       uint32_t tid, uint64_t ip)
{
	now += 1000000;
	mkperf_sample(m, .event = event, .id = id, .misc = cpumode, .pid = pid, .tid = tid, .ip = ip,
		      .time = now, .period = 1);
}

#define K_ONE (KERNEL + 0x1010)
#define K_TWO (KERNEL + 0x2010)
#define LEAF (CODE + SPIN_LEAF + 0x10)
#define HOST_SAMPLES(m)                                                                                      \
	add_sample(m, 0, 1, CPUMODE_KERNEL, 500, 501, K_ONE);                                                \
	add_sample(m, 0, 1, CPUMODE_USER, 500, 501, LEAF)

/* perf kvm record with --guestkallsyms or --guestvmlinux knows of one guest. */

static void record_one_guest(void)
{
	struct mkperf *m = begin((struct mkperf_options){ 0 });

	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .start = MODULE, .len = 0x4000, .filename = "[gmod]");
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, ALL_OF_IT, .filename = "[guest.kernel.kallsyms]_stext");
	HOST_SAMPLES(m);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, MODULE + 0x1010);
	add_sample(m, 0, 1, CPUMODE_GUEST_USER, 500, 501, CODE + 0x1010);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 0, 0, K_TWO);
	finish(m);
}

#define HOST_TEXT                                                                                            \
	"       CPU 0/KVM     501 [000]     0.002000:          1 cycles:  ffffffff81001010 host_one+0x10 "   \
	"([kernel.kallsyms])\n"                                                                              \
	"       CPU 0/KVM     501 [000]     0.003000:          1 cycles:      555500001110 [unknown] "       \
	"(/usr/bin/qemu)\n"

START_TEST(without_an_option_samples_of_guests_are_not_shown)
{
	set_up();
	record_one_guest();
	ck_assert_str_eq(text(HOST "perf.data"), HOST_TEXT);
	ck_assert_msg(strstr(messages, "4 samples of virtual machines not shown") != NULL, "%s", messages);
	tear_down();
}
END_TEST

START_TEST(a_single_guest_has_the_kernel_that_is_given)
{
	static const char expected[] = HOST_TEXT
		"            :501     501 [000]     0.004000:          1 cycles:  ffffffff81001010 "
		"any_one+0x10 "
		"([guest.kernel.kallsyms])\n"
		"            :501     501 [000]     0.005000:          1 cycles:  ffffffffc0001010 "
		"any_mod+0x10 "
		"([gmod])\n"
		"            :501     501 [000]     0.006000:          1 cycles:      555500001010 [unknown] "
		"([unknown])\n"
		"       [guest/0]       0 [000]     0.007000:          1 cycles:  ffffffff81002010 "
		"any_two+0x10 "
		"([guest.kernel.kallsyms])\n";

	set_up();
	record_one_guest();
	ck_assert_str_eq(text(HOST "--guestkallsyms any perf.data"), expected);
	/* The others show its samples too. */
	put_file("modules", "");
	text(HOST "--guestmodules modules --dsos '[guest.kernel.kallsyms]' perf.data");
	ck_assert_str_eq(out, "            :501     501 [000]     0.004000:          1 cycles:  "
			      "ffffffff81001010 [unknown] ([guest.kernel.kallsyms])\n"
			      "       [guest/0]       0 [000]     0.007000:          1 cycles:  "
			      "ffffffff81002010 [unknown] ([guest.kernel.kallsyms])\n");
	tear_down();
}
END_TEST

START_TEST(files_that_are_given_must_be_there)
{
	static const char *const options[] = { "--guestmount", "--guestkallsyms", "--guestvmlinux",
					       "--guestmodules" };

	set_up();
	record_one_guest();
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "%s nowhere perf.data", options[i]);
		run(line);
		ck_assert_int_eq(WEXITSTATUS(status), 1);
		ck_assert_str_eq(messages, "perf2txt: nowhere: cannot open: No such file or directory\n");
	}
	tear_down();
}
END_TEST

/* With --guestmount perf records each guest's own maps and build-ids. */

static void record_guest_500(struct mkperf_options options)
{
	static const uint8_t id[20] = { 1, 2, 3 };
	struct mkperf *m = begin(options);

	now = 1000000;
	mkperf_build_id(m, CPUMODE_GUEST_KERNEL, 500, id, "[guest.kernel.kallsyms.500]");
	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, .start = MODULE, .len = 0x4000,
		    .filename = "[gmod]");
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.500]_stext");
	HOST_SAMPLES(m);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 500, K_TWO);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, MODULE + 0x1010);
	add_sample(m, 0, 1, CPUMODE_GUEST_USER, 500, 501, CODE + 0x1010);
	finish(m);
}

START_TEST(a_build_id_that_perf_inject_took_for_a_guests_is_the_hosts)
{
	static const uint8_t other[20] = { 1, 2, 3 };
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/qemu", folder);
	mkspin_write(path, (struct mkspin){ 0 });
	for (int told = 0; told < 2; told++) {
		struct mkperf *m = begin((struct mkperf_options){ 0 });
		if (told)
			mkperf_build_id(m, CPUMODE_GUEST_USER, -1, other, "/usr/bin/qemu");
		add_host(m);
		add_sample(m, 0, 1, CPUMODE_USER, 500, 501, LEAF);
		finish(m);
		text(HOST "--sysroot root -F ip,sym perf.data");
		ck_assert_msg(strstr(out, told ? " [unknown]\n" : " leaf\n"), "%s", out);
	}
	tear_down();
}
END_TEST

START_TEST(a_guests_kernel_is_in_the_folder_of_its_process)
{
	static const char expected[] = HOST_TEXT
		"            :501     501 [000]     0.004000:          1 cycles:  ffffffff81001010 "
		"g500_one+0x10 ([guest.kernel.kallsyms.500])\n"
		"     [guest/500]     500 [000]     0.005000:          1 cycles:  ffffffff81002010 "
		"g500_two+0x10 ([guest.kernel.kallsyms.500])\n"
		"            :501     501 [000]     0.006000:          1 cycles:  ffffffffc0001010 "
		"g500_mod+0x10 ([gmod])\n"
		"            :501     501 [000]     0.007000:          1 cycles:      555500001010 [unknown] "
		"([unknown])\n";

	set_up();
	record_guest_500((struct mkperf_options){ 0 });
	ck_assert_str_eq(text(HOST "--guestmount guests perf.data"), expected);
	record_guest_500((struct mkperf_options){ .pipe = true });
	ck_assert_str_eq(text(HOST "--guestmount guests - <perf.data"), expected);
	record_guest_500((struct mkperf_options){ .big_endian = true });
	text(HOST "--folded --guestmount guests perf.data");
	ck_assert_ptr_nonnull(strstr(out, "g500_one 1\n"));
	tear_down();
}
END_TEST

/* perf inject --guest-data: guests 500 and 700 recorded themselves. */

static void add_index_entry(struct mkbytes *b, uint64_t id, uint64_t idx)
{
	mkbytes_u64(b, id);
	mkbytes_u64(b, idx);
	mkbytes_u64(b, (uint64_t)-1);
	mkbytes_u64(b, 501);
}

static void add_injected_guest(struct mkperf *m, unsigned event, uint32_t machine_pid, const char *comm,
			       const char *path)
{
	struct mkbytes b = mkperf_body(m);

	mkbytes_u64(&b, 2);
	add_index_entry(&b, event * 10 + 1, 0);
	add_index_entry(&b, event * 10 + 2, 1);
	for (uint64_t vcpu = 0; vcpu < 2; vcpu++) {
		mkbytes_u64(&b, machine_pid);
		mkbytes_u64(&b, vcpu);
	}
	mkperf_bytes_record(m, RECORD_ID_INDEX, 0, &b, NULL);
	mkperf_mmap(m, .event = event, .misc = CPUMODE_GUEST_KERNEL, .pid = (uint32_t)-1, ALL_OF_IT,
		    .filename = "[kernel.kallsyms]_stext");
	mkperf_mmap(m, .event = event, .misc = CPUMODE_GUEST_KERNEL, .pid = (uint32_t)-1, .start = MODULE,
		    .len = 0x4000, .filename = "/lib/modules/6.1/gmod.ko");
	mkperf_fork(m, .event = event, .misc = CPUMODE_GUEST_KERNEL | MISC_FORK_EXEC, .pid = 500, .tid = 500,
		    .ppid = 1, .ptid = 1);
	mkperf_comm(m, .event = event, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, .tid = 500, .comm = comm);
	mkperf_mmap2(m, .event = event, .misc = CPUMODE_GUEST_USER, .pid = 500, .tid = 500,
		     .start = CODE + 0x1000, .pgoff = 0x1000, .len = 0x1000, .filename = path);
}

static void record_injected(void)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	for (uint64_t id = 1; id < 30; id += 10)
		add_event(m, id, 0);
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	mkperf_nrcpus(m, 4, 4);
	add_host(m);
	mkperf_round(m);
	add_injected_guest(m, 1, 500, "prog5", "/usr/bin/spin");
	add_injected_guest(m, 2, 700, "prog7", "/usr/bin/other");
	HOST_SAMPLES(m);
	add_sample(m, 1, 11, CPUMODE_GUEST_KERNEL, 500, 500, K_ONE);
	add_sample(m, 1, 12, CPUMODE_GUEST_USER, 500, 500, LEAF);
	add_sample(m, 1, 11, CPUMODE_GUEST_KERNEL, 0, 0, MODULE + 0x1010);
	add_sample(m, 2, 21, CPUMODE_GUEST_KERNEL, 500, 500, K_ONE);
	add_sample(m, 2, 22, CPUMODE_GUEST_USER, 500, 500, LEAF);
	mkperf_comm(m, .event = 1, .misc = CPUMODE_GUEST_KERNEL | MISC_COMM_EXEC, .pid = 500, .tid = 500,
		    .comm = "next", .time = now + 1);
	add_sample(m, 1, 11, CPUMODE_GUEST_KERNEL, 500, 500, K_TWO);
	add_sample(m, 2, 21, CPUMODE_GUEST_KERNEL, 500, 500, K_TWO);
	finish(m);
}

#define FIELDS "-F comm,tid,machine_pid,vcpu,ip,sym,symoff,dso "

START_TEST(guests_that_recorded_themselves_are_told_apart)
{
	static const char format[] =
		"       CPU 0/KVM     501  ffffffff81001010 host_one+0x10 ([kernel.kallsyms])\n"
		"       CPU 0/KVM     501      555500001110 [unknown] (/usr/bin/qemu)\n"
		"VM:  500 VCPU:000            prog5     500  ffffffff81001010 g500_one+0x10 "
		"([guest.kernel.kallsyms.500])\n"
		"VM:  500 VCPU:001            prog5     500      555500001110 %s (/usr/bin/spin)\n"
		"VM:  500 VCPU:000          swapper       0  ffffffffc0001010 g500_mod+0x10 ([gmod])\n"
		"VM:  700 VCPU:000            prog7     500  ffffffff81001010 g700_one+0x10 "
		"([guest.kernel.kallsyms.700])\n"
		"VM:  700 VCPU:001            prog7     500      555500001110 [unknown] (/usr/bin/other)\n"
		"VM:  500 VCPU:000             next     500  ffffffff81002010 g500_two+0x10 "
		"([guest.kernel.kallsyms.500])\n"
		"VM:  700 VCPU:000            prog7     500  ffffffff81002010 g700_two+0x10 "
		"([guest.kernel.kallsyms.700])\n";
	char expected[2048], path[128];

	set_up();
	record_injected();
	snprintf(expected, sizeof(expected), format, "[unknown]");
	ck_assert_str_eq(text(HOST FIELDS "--guestmount guests perf.data"), expected);
	/* perf looks at the host's /usr/bin/spin instead. */
	ck_assert(mkelf_run("mkdir -p '%s/guests/500/usr/bin'", folder));
	snprintf(path, sizeof(path), "%s/guests/500/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ 0 });
	snprintf(expected, sizeof(expected), format, "leaf+0x10");
	ck_assert_str_eq(text(HOST FIELDS "--guestmount guests perf.data"), expected);
	tear_down();
}
END_TEST

START_TEST(their_records_are_shown_with_their_names)
{
	set_up();
	record_injected();
	text(HOST "-F comm,tid,machine_pid,vcpu --show-task-events perf.data");
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  500 VCPU:000             :500       1 PERF_RECORD_FORK(500:500):(1:1)\n"));
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  700 VCPU:000            prog7     500 PERF_RECORD_COMM: prog7:500/500\n"));
	ck_assert_ptr_nonnull(strstr(out, "            qemu     500 PERF_RECORD_COMM: qemu:500/500\n"));
	tear_down();
}
END_TEST

/* perf takes /proc/kallsyms of the analysis machine for guests without a folder. */
START_TEST(what_is_not_known_of_a_guest_is_not_taken_from_a_host)
{
	set_up();
	record_injected();
	text(HOST "-F machine_pid,ip,sym,dso perf.data");
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  700  ffffffff81002010 [unknown] ([guest.kernel.kallsyms.700])\n"));
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  500  ffffffff81002010 [unknown] ([guest.kernel.kallsyms.500])\n"));
	ck_assert_ptr_nonnull(strstr(messages, "--guestmount"));
	/* Nor would such files of the host help. */
	text(HOST "--stats -F ip,sym perf.data");
	ck_assert_ptr_nonnull(strstr(messages, "these files would help most: /usr/bin/qemu\n"));
	/* One without a folder has the kernel that is given for such. */
	ck_assert(mkelf_run("rm -r '%s/guests/700'", folder));
	text(HOST "--guestmount guests --guestkallsyms any -F machine_pid,ip,sym,dso perf.data");
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  700  ffffffff81002010 any_two ([guest.kernel.kallsyms.700])\n"));
	ck_assert_ptr_nonnull(
		strstr(out, "VM:  500  ffffffff81002010 g500_two ([guest.kernel.kallsyms.500])\n"));
	tear_down();
}
END_TEST

/* perf gives the host's kernel and process 500 the maps of the guest then. */
START_TEST(maps_of_guests_are_none_of_the_host)
{
	struct mkperf *m;

	set_up();
	m = begin((struct mkperf_options){ 0 });
	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.500]_stext");
	mkperf_mmap(m, .misc = CPUMODE_GUEST_USER, .pid = 500, .tid = 500, .start = CODE, .len = 0x10000,
		    .filename = "/usr/bin/guest");
	HOST_SAMPLES(m);
	finish(m);
	ck_assert_str_eq(text(HOST "perf.data"), HOST_TEXT);
	tear_down();
}
END_TEST

/* To perf without build-ids all guests are one, with the last one's kernel, also a guest of pid -1. */
START_TEST(a_map_of_its_own_makes_a_guest)
{
	struct mkperf *m;

	set_up();
	m = begin((struct mkperf_options){ 0 });
	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.500]_stext");
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 700, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.700]_stext");
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 700, 701, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 600, 600, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, (uint32_t)-1, (uint32_t)-1, K_ONE);
	finish(m);
	ck_assert_str_eq(text(HOST "--guestmount guests -F tid,sym,ip,dso perf.data"),
			 "    501  ffffffff81001010 g500_one ([guest.kernel.kallsyms.500])\n"
			 "    701  ffffffff81001010 g700_one ([guest.kernel.kallsyms.700])\n"
			 "    600  ffffffff81001010 [unknown] ([unknown])\n"
			 "     -1  ffffffff81001010 [unknown] ([unknown])\n");
	tear_down();
}
END_TEST

START_TEST(a_guest_may_run_the_code_of_its_process)
{
	struct mkperf *m;
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/qemu", folder);
	mkspin_write(path, (struct mkspin){ 0 });
	m = begin((struct mkperf_options){ 0 });
	add_host(m);
	add_sample(m, 0, 1, CPUMODE_GUEST_USER, 500, 501, LEAF);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 500, 501, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_USER, 700, 701, LEAF);
	finish(m);
	ck_assert_str_eq(text("--sysroot root --guest-code -F comm,tid,ip,sym,dso perf.data"),
			 "     [guest/500]     501      555500001110 leaf (/usr/bin/qemu)\n"
			 "     [guest/500]     501  ffffffff81001010 [unknown] ([unknown])\n"
			 "     [guest/700]     701      555500001110 [unknown] ([unknown])\n");
	tear_down();
}
END_TEST

START_TEST(call_chains_are_the_guests)
{
	struct mkperf *m;

	set_up();
	m = mkperf_new((struct mkperf_options){ 0 });
	add_event(m, 1, SAMPLE_CALLCHAIN);
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.500]_stext");
	mkperf_mmap(m, .misc = CPUMODE_GUEST_USER, .pid = 500, .tid = 501, .start = CODE, .len = 0x10000,
		    .filename = "/usr/bin/guest");
	mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, K_ONE, K_TWO, CHAIN_USER, CODE + 0x10),
		      .misc = CPUMODE_GUEST_KERNEL, .pid = 500, .tid = 501, .ip = K_ONE);
	/* Nobody writes the marks of guests: their chains count as broken. */
	mkperf_sample(m, MK_CHAIN((uint64_t)-2176, K_ONE, K_TWO), .misc = CPUMODE_GUEST_KERNEL, .pid = 500,
		      .tid = 501, .ip = K_ONE);
	finish(m);
	ck_assert_str_eq(text(HOST "--guestmount guests -F ip,sym,dso perf.data"),
			 "\n\tffffffff81001010 g500_one ([guest.kernel.kallsyms.500])\n"
			 "\tffffffff81002010 g500_two ([guest.kernel.kallsyms.500])\n"
			 "\t    555500000010 [unknown] (/usr/bin/guest)\n\n\n\n");
	tear_down();
}
END_TEST

/* perf prints [unknown] for the end of the other mode. */
START_TEST(branches_lead_into_the_guests_kernel)
{
	const struct mkperf_branch branch = { CODE + 0x20, K_ONE, 0 };
	struct mkperf *m;

	set_up();
	m = mkperf_new((struct mkperf_options){ 0 });
	add_event(m, 1, SAMPLE_BRANCH_STACK);
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	add_host(m);
	mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = 500, ALL_OF_IT,
		    .filename = "[guest.kernel.kallsyms.500]_stext");
	mkperf_sample(m, .misc = CPUMODE_GUEST_USER, .pid = 500, .tid = 501, .ip = CODE, .branches = &branch,
		      .nr_branches = 1);
	finish(m);
	text(HOST "--guestmount guests -F brstacksym perf.data");
	ck_assert_msg(strstr(out, "[unknown]/g500_one+0x10/") != NULL, "%s", out);
	tear_down();
}
END_TEST

START_TEST(a_forged_recording_has_not_any_number_of_guests)
{
	struct mkperf *m;

	set_up();
	m = begin((struct mkperf_options){ 0 });
	for (uint32_t pid = 1; pid <= 5000; pid++)
		mkperf_mmap(m, .misc = CPUMODE_GUEST_KERNEL, .pid = pid, ALL_OF_IT,
			    .filename = "[guest.kernel.kallsyms.1]_stext");
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 1, 1, K_ONE);
	add_sample(m, 0, 1, CPUMODE_GUEST_KERNEL, 5000, 5000, K_ONE);
	finish(m);
	ck_assert_str_eq(text("--guestkallsyms any -F tid,ip,sym,dso perf.data"),
			 "      1  ffffffff81001010 any_one ([guest.kernel.kallsyms.1])\n"
			 "   5000  ffffffff81001010 any_one ([guest.kernel.kallsyms])\n");
	tear_down();
}
END_TEST

CHECK_SUITE("guests", without_an_option_samples_of_guests_are_not_shown,
	    a_single_guest_has_the_kernel_that_is_given, files_that_are_given_must_be_there,
	    a_build_id_that_perf_inject_took_for_a_guests_is_the_hosts,
	    a_guests_kernel_is_in_the_folder_of_its_process, guests_that_recorded_themselves_are_told_apart,
	    their_records_are_shown_with_their_names, what_is_not_known_of_a_guest_is_not_taken_from_a_host,
	    maps_of_guests_are_none_of_the_host, a_map_of_its_own_makes_a_guest,
	    branches_lead_into_the_guests_kernel, a_guest_may_run_the_code_of_its_process,
	    call_chains_are_the_guests, a_forged_recording_has_not_any_number_of_guests)
