#include "output/data_src.h"

#include <string.h>

#include "util/digits.h"

struct text {
	char *at, *end;
};

static void put(struct text *t, const char *what)
{
	size_t size = strlen(what), room = (size_t)(t->end - t->at);

	if (size > room)
		size = room;
	memcpy(t->at, what, size);
	t->at += size;
}

static unsigned bits(uint64_t value, unsigned first, unsigned count)
{
	return (unsigned)(value >> first & ((1u << count) - 1));
}

/* The names of the bits that are set, joined; says how many there were. */
static unsigned put_names(struct text *t, unsigned set, const char *const *names, unsigned nr,
			  unsigned before)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!(set >> i & 1))
			continue;
		if (before++)
			put(t, " or ");
		put(t, names[i]);
	}
	return before;
}

static void put_op(struct text *t, uint64_t value)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	unsigned op = bits(value, 0, 5);

	put(t, op ? names[__builtin_ctz(op)] : "No");
}

static void put_hit_or_miss(struct text *t, uint64_t value)
{
	put(t, bits(value, 6, 1) ? " hit" : bits(value, 7, 1) ? " miss" : " ");
}

static void put_level_number(struct text *t, uint64_t value, unsigned level)
{
	static const char *const hops[8] = {
		[1] = "core, same node ",
		[2] = "node, same socket ",
		[3] = "socket, same board ",
		[4] = "board ",
	};
	static const char *const levels[16] = {
		[1] = "L1",	    [2] = "L2",	      [3] = "L3",
		[4] = "L4",	    [5] = "L2 MHB",   [6] = "Memory-side Cache",
		[8] = "Uncached",   [9] = "CXL",      [10] = "I/O",
		[11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",
	};
	const char *hop = hops[bits(value, 43, 3)];

	if (bits(value, 37, 1))
		put(t, "Remote ");
	if (hop)
		put(t, hop);
	if (levels[level]) {
		put(t, levels[level]);
	} else {
		put(t, "Unknown level ");
		char digits[DIGITS_MAX];
		*digits_dec(digits, level, 0) = '\0';
		put(t, digits);
	}
	put_hit_or_miss(t, value);
}

static void put_level(struct text *t, uint64_t value)
{
	static const char *const names[] = {
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};
	unsigned number = bits(value, 33, 4);

	if (number && number != 15) {
		put_level_number(t, value, number);
		return;
	}
	if (put_names(t, bits(value, 8, 11), names, 11, 0))
		put_hit_or_miss(t, value);
	else
		put(t, "N/A");
}

static void put_snoop(struct text *t, uint64_t value)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	unsigned nr = put_names(t, bits(value, 19, 5), names, 5, 0);

	if (!put_names(t, bits(value, 38, 2), more, 2, nr))
		put(t, "N/A");
}

static void put_tlb(struct text *t, uint64_t value)
{
	static const char *const names[] = { "N/A", "L1", "L2", "Walker", "Fault" };

	/* hit and miss lie between the first bit and the others */
	if (!put_names(t, bits(value, 26, 1) | bits(value, 29, 4) << 1, names, 5, 0))
		put(t, "N/A");
	if (bits(value, 27, 1))
		put(t, " hit");
	if (bits(value, 28, 1))
		put(t, " miss");
}

static void put_block(struct text *t, uint64_t value)
{
	unsigned block = bits(value, 40, 3);

	if (!block || block & 1) {
		put(t, " N/A");
		return;
	}
	if (block & 2)
		put(t, " Data");
	if (block & 4)
		put(t, " Addr");
}

size_t data_src_text(uint64_t value, char ret[DATA_SRC_MAX])
{
	struct text t = { digits_hex16(ret, value), ret + DATA_SRC_MAX };

	put(&t, " |OP ");
	put_op(&t, value);
	put(&t, "|LVL ");
	put_level(&t, value);
	put(&t, "|SNP ");
	put_snoop(&t, value);
	put(&t, "|TLB ");
	put_tlb(&t, value);
	put(&t, "|LCK ");
	put(&t, bits(value, 24, 1) ? "N/A" : bits(value, 25, 1) ? "Yes" : "No");
	put(&t, "|BLK ");
	put_block(&t, value);
	return (size_t)(t.at - ret);
}
