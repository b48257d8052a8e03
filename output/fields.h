/*
 * fields - which columns are printed: -F, the defaults by type of event, and what follows from both.
 *
 * Meaning, order of checks and words are those of perf script 7.2 (facts: its own output, checked
 * with 7.2.13). Three steps: fields_init(); fields_parse() for each -F; then, when the events are known,
 * fields_check_file() once or fields_check_pipe() as each attr comes. After that fields_needs() says what a
 * view must hold. Knows attrs only, no samples. Prints nothing: errors are returned, warnings collected.
 */
#ifndef PERF2TXT_FIELDS_H
#define PERF2TXT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/evlist.h"
#include "util/err.h"
#include "util/vec.h"

/* Events of one output type share their columns. */
enum output_type {
	OUTPUT_HARDWARE,
	OUTPUT_SOFTWARE,
	OUTPUT_TRACEPOINT,
	OUTPUT_HW_CACHE,
	OUTPUT_RAW,
	OUTPUT_BREAKPOINT,
	OUTPUT_SYNTH,
	OUTPUT_OTHER,
	OUTPUT_TYPES,
};

#define FIELD(n) (UINT64_C(1) << (n))
#define FIELD_COMM FIELD(0)
#define FIELD_TID FIELD(1)
#define FIELD_PID FIELD(2)
#define FIELD_TIME FIELD(3)
#define FIELD_CPU FIELD(4)
#define FIELD_EVENT FIELD(5)
#define FIELD_TRACE FIELD(6)
#define FIELD_IP FIELD(7)
#define FIELD_SYM FIELD(8)
#define FIELD_DSO FIELD(9)
#define FIELD_ADDR FIELD(10)
#define FIELD_SYMOFF FIELD(11)
#define FIELD_SRCLINE FIELD(12)
#define FIELD_PERIOD FIELD(13)
#define FIELD_IREGS FIELD(14)
#define FIELD_UREGS FIELD(15)
#define FIELD_BRSTACK FIELD(16)
#define FIELD_BRSTACKSYM FIELD(17)
#define FIELD_DATA_SRC FIELD(18)
#define FIELD_WEIGHT FIELD(19)
#define FIELD_BPF_OUTPUT FIELD(20)
#define FIELD_CALLINDENT FIELD(21)
#define FIELD_INSN FIELD(22)
#define FIELD_INSNLEN FIELD(23)
#define FIELD_BRSTACKINSN FIELD(24)
#define FIELD_BRSTACKOFF FIELD(25)
#define FIELD_SYNTH FIELD(26)
#define FIELD_PHYS_ADDR FIELD(27)
#define FIELD_METRIC FIELD(28)
#define FIELD_MISC FIELD(29)
#define FIELD_SRCCODE FIELD(30)
#define FIELD_IPC FIELD(31)
#define FIELD_TOD FIELD(32)
#define FIELD_DATA_PAGE_SIZE FIELD(33)
#define FIELD_CODE_PAGE_SIZE FIELD(34)
#define FIELD_INS_LAT FIELD(35)
#define FIELD_BRSTACKINSNLEN FIELD(36)
#define FIELD_MACHINE_PID FIELD(37)
#define FIELD_VCPU FIELD(38)
#define FIELD_CGROUP FIELD(39)
#define FIELD_RETIRE_LAT FIELD(40)
#define FIELD_DSOFF FIELD(41)
#define FIELD_DISASM FIELD(42)
#define FIELD_BRSTACKDISASM FIELD(43)
#define FIELD_BRCNTR FIELD(44)

/* The fields that make up the text of an instruction address, in a chain or on the line. */
#define FIELDS_IP_PART (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_DSOFF | FIELD_SRCLINE)

struct fields_of_type {
	uint64_t on;	      /* FIELD_*: what is printed */
	uint64_t ip_part;     /* those of FIELDS_IP_PART that an ip prints; decided by the checks */
	uint64_t asked;	      /* by name, for all types: an error when the samples lack it */
	uint64_t refused;     /* by name: -F -ip */
	bool touched;	      /* any -F changed this type */
	bool emptied_by_name; /* "-F hw:" and nothing else */
};

struct fields {
	struct fields_of_type types[OUTPUT_TYPES];
	bool flags;	      /* -F +flags: a column of its own, for all types */
	bool use_callchain;   /* chains are printed: not -G, and some event has one; decided by the checks */
	VEC(char *) warnings; /* of fields_parse(), a line each; owned */
};

/* What the recording is like, beyond its attrs. */
struct fields_recording {
	bool has_auxtrace;   /* feature AUXTRACE: some fields may come from decoding it */
	bool has_stat;	     /* feature STAT: nothing is checked */
	bool has_clock_data; /* feature CLOCK_DATA: tod can be printed */
};

/** The defaults. @hide_callchain: -G. */
void fields_init(struct fields *fields, bool hide_callchain);
void fields_deinit(struct fields *fields);

/** One -F argument. May add to fields->warnings, also before an error. */
struct err *fields_parse(struct fields *fields, const char *argument) ERR_CHECK;

/** All attrs are known: drop default fields that samples lack, refuse what cannot be printed. */
struct err *fields_check_file(struct fields *fields, const struct evlist *evlist,
			      const struct fields_recording *recording) ERR_CHECK;

/** A stream brought one more attr, the last of @evlist: the same for it alone. */
struct err *fields_check_pipe(struct fields *fields, const struct evlist *evlist, const struct event *event,
			      const struct fields_recording *recording) ERR_CHECK;

enum output_type output_type_of(const struct attr *attr);

/** "hardware", as messages name it. */
const char *output_type_name(enum output_type type);

/* What a view must hold so that the fields can be printed. */
#define NEED_IP (1u << 0)	/* view.ip */
#define NEED_ADDR (1u << 1)	/* view.addr */
#define NEED_CHAIN (1u << 2)	/* view.frames */
#define NEED_BRANCHES (1u << 3) /* view.branches */
#define NEED_TRACE (1u << 4)	/* view.trace */
#define NEED_SRCLINE (1u << 5)	/* file and line of locations */
#define NEED_INSN (1u << 6)	/* view.insn */
#define NEED_DISASM (1u << 7)	/* texts of instructions */
#define NEED_CGROUP (1u << 8)	/* view.cgroup */
#define NEED_ARCH (1u << 9)	/* view.arch */
#define NEED_TOD (1u << 10)	/* the clock pair in script_options */
#define NEED_DSOFF (1u << 11)	/* where locations are in their files */
#define NEED_CODE (1u << 12)	/* view.code */
#define NEED_SRCCODE (1u << 13) /* view.source */

/** NEED_* bits for a sample of @event; 0 when such samples print nothing. */
unsigned fields_needs(const struct fields *fields, const struct event *event);

/** The same over all events. */
unsigned fields_needs_any(const struct fields *fields, const struct evlist *evlist);

static inline const struct fields_of_type *fields_of(const struct fields *fields, const struct event *event)
{
	return &fields->types[output_type_of(&event->attr)];
}

/** Does this event print its samples with a call chain? A recorded chain, -G not given, and ip wanted. */
bool fields_print_chain(const struct fields *fields, const struct event *event);

/** A branch trace sample (Intel BTS and whatever perf takes for one): its line has the form "ip => addr". */
bool attr_is_branch_trace(const struct attr *attr);

/** Is addr an address of code or of a faulting access, which has a symbol and a dso? */
bool attr_addr_has_symbol(const struct attr *attr);

#endif
