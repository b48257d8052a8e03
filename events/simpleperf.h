/*
 * simpleperf - what recordings of Android's simpleperf have that perf's have not.
 *
 * Such a recording is a perf.data file with features from SIMPLEPERF_FEATURE_FIRST on: names of events
 * (META_INFO), and of the functions that samples hit (FILE; newer ones have FILE2), which nobody would find
 * elsewhere when the phone is gone. And with records from SIMPLEPERF_RECORD_FIRST on, of which the long ones
 * come in pieces. Those that are about how simpleperf itself worked are left alone.
 *
 * Whether a recording is simpleperf's is the caller's to know. Bytes of features are lent and must outlive
 * the struct. What does not fit is given up, with a static reason; what was read before it stays.
 */
#ifndef PERF2TXT_SIMPLEPERF_H
#define PERF2TXT_SIMPLEPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/raw_record.h"
#include "util/arena.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/vec.h"

enum simpleperf_file_type {
	SIMPLEPERF_KERNEL = 0, /* its symbols, modules' too ("name [module]"), are at their address */
	SIMPLEPERF_MODULE = 1,
	SIMPLEPERF_ELF = 2,
	SIMPLEPERF_DEX = 3,	   /* bytecode of Java methods: at their offset in the file */
	SIMPLEPERF_SYMBOL_MAP = 4, /* of a JIT compiler: at their address */
};

/* All zeros: there are none. */
struct simpleperf_symbols {
	struct cursor c;
	bool is_message; /* of FILE2 */
	uint32_t left;	 /* of FILE */
};

struct simpleperf_symbol {
	uint64_t vaddr, size;
	const char *name; /* of name_size bytes, without a NUL */
	size_t name_size;
};

struct simpleperf_file {
	const char *path; /* as in the records of its maps */
	uint32_t type;	  /* enum simpleperf_file_type */
	/* Of ELF: the lowest address of executable code, and its offset in the file, which old ones lack. */
	uint64_t min_vaddr, min_vaddr_offset;
	bool has_offset;
	struct simpleperf_symbols symbols; /* for a copy to be given to simpleperf_next_symbol() */
};

struct simpleperf {
	bool big_endian;
	struct arena paths;
	VEC(struct simpleperf_file) files;
	uint8_t *kallsyms; /* a copy; NULL: not recorded */
	size_t kallsyms_size;
	const char *event_types;   /* a line each: name,type,config; NULL: not recorded */
	struct hash event_type_at; /* by type and config: where in event_types */
	VEC(uint8_t) pieces;
};

struct simpleperf *simpleperf_new(bool big_endian);
void simpleperf_free(struct simpleperf *sp); /* NULL is fine */

/** Take in a feature section; others than simpleperf's own are left alone. */
const char *simpleperf_add_feature(struct simpleperf *sp, unsigned feature, const void *payload,
				   uint64_t size);

/** Take in a KERNEL_SYMBOL: the first one counts. */
const char *simpleperf_add_kallsyms(struct simpleperf *sp, const struct raw_record *raw);

/** The size that the header of a record of simpleperf's own says: 32 bits, the upper half instead of misc. */
uint32_t simpleperf_record_size(const uint8_t *header, bool big_endian);

/** @raw is such a record of @size bytes: what its `size` cannot tell is payload. */
void simpleperf_set_size(struct raw_record *raw, uint32_t size);

/** Keep the piece that a SPLIT holds. */
const char *simpleperf_add_piece(struct simpleperf *sp, const struct raw_record *raw);

/** Make the SPLIT_END @raw the record that the pieces before it are, lent until the next piece comes. */
const char *simpleperf_join(struct simpleperf *sp, struct raw_record *raw);

/** All that is behind the record's header; lent as the record is. */
struct cursor simpleperf_body(const struct simpleperf *sp, const struct raw_record *raw);

/** The size and the bytes that a KERNEL_SYMBOL or TRACING_DATA holds; NULL: it does not fit. */
const uint8_t *simpleperf_contents(const struct simpleperf *sp, const struct raw_record *raw,
				   size_t *ret_size);

/** What events of that type and config are called; false: not recorded. No NUL behind it. */
bool simpleperf_event_name(const struct simpleperf *sp, uint32_t type, uint64_t config, const char **ret,
			   size_t *ret_length);

/** The next one of a file's; false: there are no more. */
bool simpleperf_next_symbol(struct simpleperf_symbols *symbols, struct simpleperf_symbol *ret);

#endif
