#include "events/sample.h"

#include <endian.h>
#include <string.h>

#include "util/clear.h"
#include "util/cursor.h"
#include "util/noinline.h"

/* Values of data_src parts that say "not available" (linux/perf_event.h, PERF_MEM_*). */
#define DATA_SRC_NONE                                                                                        \
	((uint64_t)1 | (uint64_t)1 << 5 | (uint64_t)1 << 19 | (uint64_t)1 << 24 | (uint64_t)1 << 26 |        \
	 (uint64_t)0xf << 33)

/*
 * The part of the record that is not decoded yet. A record that can be read in place is; of another one only
 * the words that are asked for are copied, so that a big stack copy costs nothing.
 */
struct words {
	const uint8_t *at;
	size_t left;
	uint64_t *copy; /* where the next copied words go; NULL: read in place */
	bool big_endian;
};

/* What is left behind the first @nr words of the record's body, which are there. */
static inline struct words words_behind(const struct raw_record *raw, size_t nr, bool big_endian,
					struct sample_decoder *d)
{
	size_t place = RECORD_HEADER_SIZE + 8 * nr;
	const uint8_t *at = raw->data + place;
	bool in_place = big_endian == (BYTE_ORDER == BIG_ENDIAN) && (uintptr_t)at % _Alignof(uint64_t) == 0;

	return (struct words){
		.at = at,
		.left = (raw->size - place) / 8,
		.copy = in_place ? NULL : d->_words + nr,
		.big_endian = big_endian,
	};
}

/* The next @n words as numbers of this machine; NULL when there are fewer. */
static inline const uint64_t *take(struct words *w, uint64_t n)
{
	const uint64_t *part = (const uint64_t *)(const void *)w->at;

	if (n > w->left)
		return NULL;
	if (w->copy) {
		for (size_t i = 0; i < n; i++)
			w->copy[i] = load_u64(w->at + 8 * i, w->big_endian);
		part = w->copy;
		w->copy += n;
	}
	w->at += 8 * n;
	w->left -= n;
	return part;
}

/* The next @size bytes as they are, and what fills up their last word; NULL when there are fewer. */
static inline const uint8_t *take_bytes(struct words *w, uint64_t size)
{
	const uint8_t *part = w->at;
	uint64_t n = size / 8 + (size % 8 != 0);

	if (n > w->left)
		return NULL;
	w->at += 8 * n;
	w->left -= n;
	return part;
}

/* Two 32-bit fields that share a word: which half comes first is a matter of the file's order alone. */
static inline uint32_t first_half(uint64_t word, bool big_endian)
{
	return (uint32_t)(big_endian ? word >> 32 : word);
}

static inline uint32_t second_half(uint64_t word, bool big_endian)
{
	return (uint32_t)(big_endian ? word : word >> 32);
}

static void decode_fixed(uint64_t type, const uint64_t *at, bool big_endian, struct sample *s)
{
	if (type & SAMPLE_IDENTIFIER)
		s->id = *at++;
	if (type & SAMPLE_IP)
		s->ip = *at++;
	if (type & SAMPLE_TID) {
		s->pid = (int32_t)first_half(*at, big_endian);
		s->tid = (int32_t)second_half(*at++, big_endian);
	}
	if (type & SAMPLE_TIME)
		s->time = *at++;
	if (type & SAMPLE_ADDR)
		s->addr = *at++;
	if (type & SAMPLE_ID)
		s->id = *at++;
	if (type & SAMPLE_STREAM_ID)
		s->stream_id = *at++;
	if (type & SAMPLE_CPU)
		s->cpu = (int32_t)first_half(*at++, big_endian);
	if (type & SAMPLE_PERIOD)
		s->period = *at;
}

static bool decode_read(uint64_t format, struct words *w, struct sample *s)
{
	bool group = format & READ_GROUP;
	uint8_t stride = (uint8_t)(1 + !!(format & READ_ID) + !!(format & READ_LOST));
	const uint64_t *nr = group ? take(w, 1) : NULL;

	if (group && !nr)
		return false;
	/* Both layouts have the times behind the first word: a lone value's, or a group's count. */
	const uint64_t *value = group ? NULL : take(w, 1);
	const uint64_t *enabled = format & READ_TOTAL_TIME_ENABLED ? take(w, 1) : &s->time_enabled;
	const uint64_t *running = format & READ_TOTAL_TIME_RUNNING ? take(w, 1) : &s->time_running;
	if (!enabled || !running || (!group && !value))
		return false;
	s->time_enabled = *enabled;
	s->time_running = *running;
	s->nr_read = group ? *nr : 1;
	s->_read_stride = stride;
	if (!group) {
		s->_read = value;
		return take(w, stride - 1u) != NULL;
	}
	if (s->nr_read > w->left / stride)
		return false;
	s->_read = take(w, s->nr_read * stride);
	return true;
}

static bool decode_chain(struct words *w, struct sample *s)
{
	const uint64_t *nr = take(w, 1);

	if (!nr)
		return false;
	s->nr_chain = *nr;
	s->chain = take(w, *nr);
	return s->chain != NULL;
}

static bool decode_raw(struct words *w, struct sample *s)
{
	if (!w->left)
		return false;
	uint32_t size = load_u32(w->at, w->big_endian);
	const uint8_t *bytes = take_bytes(w, sizeof(size) + (uint64_t)size);
	if (!bytes)
		return false;
	s->raw = bytes + sizeof(size);
	s->raw_size = size;
	return true;
}

/* Big-endian compilers lay bit fields out from the top of the word: { first bit, width } counted from there.
 */
static uint64_t branch_flags_from_big_endian(uint64_t word)
{
	static const struct {
		uint8_t bit, width;
	} fields[] = {
		{ 0, 1 },  { 1, 1 },  { 2, 1 },	 { 3, 1 },  { 4, 16 },
		{ 20, 4 }, { 24, 2 }, { 26, 4 }, { 30, 3 }, { 33, 1 },
	};
	uint64_t flags = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t mask = ((uint64_t)1 << fields[i].width) - 1;
		flags |= (word >> (64 - fields[i].bit - fields[i].width) & mask) << fields[i].bit;
	}
	return flags;
}

static const struct branch_entry *map_branches(const struct branch_entry *from, uint64_t nr,
					       struct branch_entry *room)
{
	for (size_t i = 0; i < nr; i++) {
		room[i] = from[i];
		room[i].flags = branch_flags_from_big_endian(from[i].flags);
	}
	return room;
}

_Static_assert(sizeof(struct branch_entry) == 24, "branch entries are read in place");

static bool decode_branches(const struct event *event, struct words *w, struct branch_entry *room,
			    struct sample *s)
{
	const uint64_t *nr = take(w, 1);

	if (!nr)
		return false;
	s->nr_branches = *nr;
	/* A kernel that has no branches for this sample writes a count of 0 and nothing else
	 * (perf_output_sample()); where more fields follow, that cannot be told from an index. */
	if (event->attr.branch_sample_type & BRANCH_HW_INDEX && (*nr || w->left)) {
		const uint64_t *index = take(w, 1);
		if (!index)
			return false;
		s->branch_hw_idx = *index;
	}
	if (*nr > w->left / 3)
		return false;
	s->branches = (const struct branch_entry *)(const void *)take(w, 3 * *nr);
	if (w->big_endian)
		s->branches = map_branches(s->branches, s->nr_branches, room);
	/* The counters are those of the group: only its leader says that they are there. */
	if (!(event->leader->attr.branch_sample_type & BRANCH_COUNTERS))
		return true;
	s->branch_counters = take(w, s->nr_branches);
	return s->branch_counters != NULL;
}

static bool decode_regs(struct words *w, uint64_t mask, struct sample_regs *ret)
{
	const uint64_t *abi = take(w, 1);

	if (!abi)
		return false;
	if (!*abi)
		return true;
	ret->values = take(w, (unsigned)__builtin_popcountll(mask));
	ret->abi = *abi;
	ret->mask = mask;
	return ret->values != NULL;
}

static bool decode_stack(struct words *w, struct sample *s)
{
	const uint64_t *size = take(w, 1);

	if (!size)
		return false;
	if (!*size)
		return true;
	s->stack = take_bytes(w, *size);
	const uint64_t *copied = s->stack ? take(w, 1) : NULL;
	if (!copied || *copied > *size)
		return false;
	s->stack_size = *copied;
	return true;
}

static void split_weight(uint64_t type, uint64_t word, struct sample *s)
{
	if (type & SAMPLE_WEIGHT) {
		s->weight = word;
		return;
	}
	/* The kernel's union puts the parts at the same bits on both byte orders. */
	s->weight = word & UINT32_MAX;
	s->ins_lat = (uint16_t)(word >> 32);
	s->retire_lat = (uint16_t)(word >> 48);
}

static bool take_word(struct words *w, bool there, uint64_t *ret)
{
	if (!there)
		return true;
	const uint64_t *word = take(w, 1);
	if (!word)
		return false;
	*ret = *word;
	return true;
}

static bool decode_aux(struct words *w, struct sample *s)
{
	const uint64_t *size = take(w, 1);

	if (!size)
		return false;
	s->aux_size = *size;
	s->aux = take_bytes(w, *size);
	return s->aux != NULL;
}

/* What follows the stack copy. */
static const char *decode_tail(const struct event *event, struct words *w, struct sample *s)
{
	uint64_t type = event->attr.sample_type;
	uint64_t weight = 0;

	if (!take_word(w, type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT), &weight) ||
	    !take_word(w, type & SAMPLE_DATA_SRC, &s->data_src) ||
	    !take_word(w, type & SAMPLE_TRANSACTION, &s->transaction))
		return "the sample is too short for its fields";
	split_weight(type, weight, s);
	if (type & SAMPLE_REGS_INTR && !decode_regs(w, event->attr.sample_regs_intr, &s->intr_regs))
		return "the sample is too short for its registers";
	if (!take_word(w, type & SAMPLE_PHYS_ADDR, &s->phys_addr) ||
	    !take_word(w, type & SAMPLE_CGROUP, &s->cgroup) ||
	    !take_word(w, type & SAMPLE_DATA_PAGE_SIZE, &s->data_page_size) ||
	    !take_word(w, type & SAMPLE_CODE_PAGE_SIZE, &s->code_page_size))
		return "the sample is too short for its fields";
	if (type & SAMPLE_AUX && !decode_aux(w, s))
		return "the sample's AUX data does not fit";
	return NULL;
}

#define SAMPLE_TAIL                                                                                          \
	(SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION | SAMPLE_REGS_INTR |    \
	 SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE | SAMPLE_AUX)

/* All that follows the fixed part. */
#define SAMPLE_BEHIND_FIXED                                                                                  \
	(SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER |              \
	 SAMPLE_STACK_USER | SAMPLE_TAIL)

static void set_defaults(struct sample *s)
{
	clear_bytes(s, sizeof(*s));
	s->pid = -1;
	s->tid = -1;
	s->cpu = -1;
	s->time = UINT64_MAX;
	s->id = UINT64_MAX;
	s->stream_id = UINT64_MAX;
	s->data_src = DATA_SRC_NONE;
	s->branch_hw_idx = UINT64_MAX;
}

/* The fixed part overwrites the same members with each sample; what follows it need not. */
static void prepare(struct sample *s, uint64_t type)
{
	if (s->_has_defaults && s->_has_defaults_of == type)
		return;
	set_defaults(s);
	s->_has_defaults_of = type;
	s->_has_defaults = !(type & SAMPLE_BEHIND_FIXED);
}

static NOINLINE const char *decode_behind_fixed(struct sample_decoder *d, const struct event *event,
						const struct raw_record *raw, bool big_endian,
						struct sample *s)
{
	struct words words = words_behind(raw, event->sample_fixed / 8, big_endian, d), *w = &words;
	uint64_t type = event->attr.sample_type;

	if (type & SAMPLE_READ && !decode_read(event->attr.read_format, w, s))
		return "the sample's counter values do not fit";
	if (type & SAMPLE_CALLCHAIN && !decode_chain(w, s))
		return "the sample's call chain does not fit";
	if (type & SAMPLE_RAW && !decode_raw(w, s))
		return "the sample's raw data does not fit";
	if (type & SAMPLE_BRANCH_STACK && !decode_branches(event, w, d->_branches, s))
		return "the sample's branch stack does not fit";
	if (type & SAMPLE_REGS_USER && !decode_regs(w, event->attr.sample_regs_user, &s->user_regs))
		return "the sample is too short for its registers";
	if (type & SAMPLE_STACK_USER && !decode_stack(w, s))
		return "the sample's stack copy does not fit";
	return type & SAMPLE_TAIL ? decode_tail(event, w, s) : NULL;
}

const char *sample_decode(struct sample_decoder *d, const struct event *event, const struct raw_record *raw,
			  bool big_endian, struct sample *s)
{
	uint64_t type = event->attr.sample_type;
	struct words w = words_behind(raw, 0, big_endian, d);
	const uint64_t *fixed = take(&w, event->sample_fixed / 8);

	if (!fixed)
		return "the sample is too short for its fields";
	prepare(s, type);
	s->misc = raw->misc;
	s->cpumode = raw->misc & MISC_CPUMODE_MASK;
	s->period = event->attr.sample_period;
	decode_fixed(type, fixed, big_endian, s);
	return type & SAMPLE_BEHIND_FIXED ? decode_behind_fixed(d, event, raw, big_endian, s) : NULL;
}

bool sample_is_plain(const struct event *event)
{
	return !(event->attr.sample_type & SAMPLE_BEHIND_FIXED);
}

struct read_value sample_read_value(const struct sample *sample, const struct event *event, uint64_t index)
{
	uint64_t format = event->attr.read_format;
	const uint64_t *at = sample->_read + index * sample->_read_stride;

	/* A lone value has the times between itself and its id. */
	const uint64_t *more = at + 1;
	if (!(format & READ_GROUP))
		more += !!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
	return (struct read_value){
		.value = *at,
		.id = format & READ_ID ? *more : UINT64_MAX,
		.lost = format & READ_LOST ? more[!!(format & READ_ID)] : 0,
	};
}
