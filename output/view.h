/*
 * view - all that a formatter may see of one sample: pointers to finished things.
 *
 * The session fills one and hands it to output/script or output/folded. Only what fields_needs() asked for is
 * filled, the rest is NULL or 0 (a spot without location was not asked for). Everything is const and good
 * until the next sample. No formatter looks anything up, reads bytes of the recording or knows of ELF.
 */
#ifndef PERF2TXT_VIEW_H
#define PERF2TXT_VIEW_H

#include "arch/arch.h"
#include "events/evlist.h"
#include "events/id_index.h"
#include "events/record.h"
#include "events/sample.h"
#include "symbolize/location.h"

struct view_frame {
	uint64_t ip; /* as printed */
	struct spot spot;
	bool is_cookie; /* a deferred call chain that never came: ip is the cookie */
	bool unknown;	/* something is mapped there, but the location has no name */
};

struct view_text {
	const char *text;
	size_t size;
};

/* A machine instruction. */
#define VIEW_INSN_MAX 16
struct view_insn {
	uint8_t bytes[VIEW_INSN_MAX];
	uint8_t size;	 /* of those that insn shows: on x86 the instruction, else as the longest one has */
	uint8_t length;	 /* of the instruction; 0: it is none */
	bool leaves;	 /* the processor never goes on behind it */
	bool has_target; /* its operand is nothing but an address of code: target */
	uint64_t target;
	const char *mnemonic; /* NULL: not asked for, or there is no text for it */
	const char *operands;
};

/* What ran between the branches of a stack, oldest first: a line each. */
enum view_code_kind {
	VIEW_CODE_SYMBOL, /* what follows is in spot's symbol */
	VIEW_CODE_INSN,
	VIEW_CODE_BRANCH,      /* the instruction that an entry of the branch stack went from */
	VIEW_CODE_MISMATCH,    /* the code does not lead to the branch */
	VIEW_CODE_NOT_REACHED, /* nor, behind the last branch, to the sample */
};

struct view_code_line {
	enum view_code_kind kind;
	uint32_t branch;   /* its number in the stack */
	uint32_t nr_insns; /* with this one, since the branch before; 0: not known */
	uint64_t ip;
	struct spot spot;
	const struct view_insn *insn; /* NULL: the bytes are no instruction */
	struct spot target;	      /* of insn, like insn_target */
};

struct view {
	const struct event *event;
	const struct sample *sample;
	const char *comm;		 /* another text is another pointer, to the end */
	int32_t pid, tid;		 /* of the thread */
	struct id_guest guest;		 /* which the sample's id is of */
	uint64_t time;			 /* of the sample, ns; UINT64_MAX: none */
	struct spot ip;			 /* of sample->ip */
	struct spot addr;		 /* of sample->addr */
	bool has_chain;			 /* print the chain block, even an empty one */
	const struct view_frame *frames; /* callee first */
	size_t nr_frames;
	bool incomplete;	     /* user frames are known to be missing at the outer end */
	const struct spot *branches; /* from and to of each branch entry in turn, or NULL */
	const struct arch *arch;     /* of the process: names of its registers */
	struct view_text trace;	     /* text of the tracepoint's payload */
	struct view_text source;     /* of the executed line, unless it is the thread's last one */
	uint32_t source_line;
	const char *cgroup;	      /* path; NULL: not known */
	const struct view_insn *insn; /* at sample->ip; NULL: there is no code to be had */
	struct spot insn_target;      /* of insn; without location: none, or none with a symbol */
	bool has_code;		      /* print the code block of a branch stack, even an empty one */
	const struct view_code_line *code;
	size_t nr_code;
};

/* A record that --show-*-events prints. */
struct view_record {
	const struct event *event; /* NULL: the recording has none for it */
	const struct record *record;
	const char *comm; /* as in struct view */
	int32_t pid, tid;
	struct spot addr;      /* of TEXT_POKE */
	struct id_guest guest; /* which the record's id is of */
};

#endif
