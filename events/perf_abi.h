/*
 * perf_abi - numbers of the perf.data format and of the kernel's perf ABI.
 *
 * Our own copy, so that the headers of the building machine never limit which recordings can be read.
 * Names are the kernel's (include/uapi/linux/perf_event.h) and perf's, without their PERF_ prefix.
 */
#ifndef PERF2TXT_PERF_ABI_H
#define PERF2TXT_PERF_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,
	/* From here on written by the perf tool, not by the kernel: never ordered by time. */
	RECORD_USER_FIRST = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
	RECORD_TYPE_END = 87,
};

/*
 * Records of Android's simpleperf, in files that have its features (from SIMPLEPERF_FEATURE_FIRST on). Their
 * size has 32 bits: the upper half is where other records have misc.
 */
enum simpleperf_record_type {
	SIMPLEPERF_RECORD_FIRST = 32769,
	SIMPLEPERF_RECORD_KERNEL_SYMBOL = 32769, /* u32 size, and that much of /proc/kallsyms */
	SIMPLEPERF_RECORD_SPLIT = 32772,	 /* a piece of a longer record, with that one's header */
	SIMPLEPERF_RECORD_SPLIT_END = 32773,	 /* the pieces before it are the whole record */
	SIMPLEPERF_RECORD_EVENT_ID = 32774,	 /* u64 count, of two u64 each: number of the event, id */
	SIMPLEPERF_RECORD_TRACING_DATA = 32777,	 /* u32 size, and that much of the feature's payload */
};

#define RECORD_HEADER_SIZE 8
#define RECORD_MAX_SIZE 65535 /* the size field has 16 bits */

/* misc of a record */
#define MISC_CPUMODE_MASK 7
enum cpumode {
	CPUMODE_UNKNOWN = 0,
	CPUMODE_KERNEL = 1,
	CPUMODE_USER = 2,
	CPUMODE_HYPERVISOR = 3,
	CPUMODE_GUEST_KERNEL = 4,
	CPUMODE_GUEST_USER = 5,
};
static inline bool cpumode_is_guest(unsigned cpumode)
{
	return cpumode == CPUMODE_GUEST_KERNEL || cpumode == CPUMODE_GUEST_USER;
}
#define MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12)
#define MISC_MMAP_DATA (1 << 13)
#define MISC_COMM_EXEC (1 << 13)
#define MISC_FORK_EXEC (1 << 13) /* the FORK was synthesized: it brings no maps */
#define MISC_SWITCH_OUT (1 << 13)
#define MISC_SWITCH_OUT_PREEMPT (1 << 14)
#define MISC_MMAP_BUILD_ID (1 << 14)
#define MISC_BUILD_ID_SIZE (1 << 15)
#define MISC_LOST_SAMPLES_BPF (1 << 15)

/* attr.type */
enum attr_type {
	ATTR_HARDWARE = 0,
	ATTR_SOFTWARE = 1,
	ATTR_TRACEPOINT = 2,
	ATTR_HW_CACHE = 3,
	ATTR_RAW = 4,
	ATTR_BREAKPOINT = 5,
};
#define ATTR_MIN_SIZE 64
#define ATTR_MAX_SIZE 144 /* the part that is known here; longer ones are read up to it */

/* attr.config of SOFTWARE */
#define SW_TASK_CLOCK 1
#define SW_PAGE_FAULTS 2
#define SW_PAGE_FAULTS_MIN 5
#define SW_PAGE_FAULTS_MAJ 6
#define SW_DUMMY 9
#define SW_BPF_OUTPUT 10

/* attr.sample_type: which fields a sample has */
#define SAMPLE_IP (1u << 0)
#define SAMPLE_TID (1u << 1)
#define SAMPLE_TIME (1u << 2)
#define SAMPLE_ADDR (1u << 3)
#define SAMPLE_READ (1u << 4)
#define SAMPLE_CALLCHAIN (1u << 5)
#define SAMPLE_ID (1u << 6)
#define SAMPLE_CPU (1u << 7)
#define SAMPLE_PERIOD (1u << 8)
#define SAMPLE_STREAM_ID (1u << 9)
#define SAMPLE_RAW (1u << 10)
#define SAMPLE_BRANCH_STACK (1u << 11)
#define SAMPLE_REGS_USER (1u << 12)
#define SAMPLE_STACK_USER (1u << 13)
#define SAMPLE_WEIGHT (1u << 14)
#define SAMPLE_DATA_SRC (1u << 15)
#define SAMPLE_IDENTIFIER (1u << 16)
#define SAMPLE_TRANSACTION (1u << 17)
#define SAMPLE_REGS_INTR (1u << 18)
#define SAMPLE_PHYS_ADDR (1u << 19)
#define SAMPLE_AUX (1u << 20)
#define SAMPLE_CGROUP (1u << 21)
#define SAMPLE_DATA_PAGE_SIZE (1u << 22)
#define SAMPLE_CODE_PAGE_SIZE (1u << 23)
#define SAMPLE_WEIGHT_STRUCT (1u << 24)

/* attr.read_format */
#define READ_TOTAL_TIME_ENABLED (1u << 0)
#define READ_TOTAL_TIME_RUNNING (1u << 1)
#define READ_ID (1u << 2)
#define READ_GROUP (1u << 3)
#define READ_LOST (1u << 4)

/* attr.branch_sample_type */
#define BRANCH_ANY (1u << 3)
#define BRANCH_CALL_STACK (1u << 11)
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)

/* Markers in a call chain: values from CHAIN_MARKER_FIRST on switch the mode of what follows. */
#define CHAIN_HV ((uint64_t)-32)
#define CHAIN_KERNEL ((uint64_t)-128)
#define CHAIN_USER ((uint64_t)-512)
#define CHAIN_USER_DEFERRED ((uint64_t)-640)
#define CHAIN_MARKER_FIRST ((uint64_t)-4095)

#define PROT_FLAG_READ 1
#define PROT_FLAG_WRITE 2
#define PROT_FLAG_EXEC 4
#define MAP_FLAG_SHARED 1
#define MAP_FLAG_HUGETLB 0x40000

/* Numbers of the feature sections. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CLN_SIZE = 34,
	FEATURE_KNOWN_END = 35,
	/* Of Android's simpleperf; perf counts its own from 1 on. */
	SIMPLEPERF_FEATURE_FIRST = 128,
	SIMPLEPERF_FEATURE_FILE = 128,
	SIMPLEPERF_FEATURE_META_INFO = 129,
	SIMPLEPERF_FEATURE_FILE2 = 132,
	FEATURE_BITS = 256,
};

#endif
