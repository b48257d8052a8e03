/*
 * An event and one record of it -> values. Byte 0: the byte order; then the event's attr (ATTR_MAX_SIZE
 * bytes), then the record, whose size is what is left.
 */
#include "events/counter.h"
#include "events/record.h"
#include "events/sample.h"
#include "tests/fuzz/fuzz.h"
#include "util/cursor.h"

static void use_words(const void *words, uint64_t count)
{
	for (uint64_t i = 0; words && i < count; i++)
		fuzz_use(((const uint64_t *)words)[i]);
}

static void use_sample(const struct evlist *evlist, struct event *event, const struct sample *s)
{
	struct counter *counter = counter_new(evlist);
	struct counter_delivery delivery;
	uint64_t index = 0;

	use_words(s->chain, s->nr_chain);
	use_words(s->branches, 3 * s->nr_branches);
	use_words(s->branch_counters, s->nr_branches);
	use_words(s->user_regs.values, (uint64_t)__builtin_popcountll(s->user_regs.mask));
	use_words(s->intr_regs.values, (uint64_t)__builtin_popcountll(s->intr_regs.mask));
	for (uint64_t i = 0; i < s->raw_size; i++)
		fuzz_use(s->raw[i]);
	for (uint64_t i = 0; i < s->stack_size; i++)
		fuzz_use(s->stack[i]);
	for (uint64_t i = 0; i < s->aux_size; i++)
		fuzz_use(s->aux[i]);
	while (counter_applies(event) && counter_next(counter, event, s, &index, &delivery))
		fuzz_use(delivery.period);
	counter_free(counter);
}

static void use_record(const struct record *r, bool big_endian)
{
	const char *key, *value;

	if (r->type == RECORD_MMAP || r->type == RECORD_MMAP2)
		fuzz_use_text(r->mmap.filename);
	if (r->type == RECORD_COMM)
		fuzz_use_text(r->comm.comm);
	if (r->type == RECORD_KSYMBOL)
		fuzz_use_text(r->ksymbol.name);
	if (r->type == RECORD_CGROUP)
		fuzz_use_text(r->cgroup.path);
	for (uint64_t i = 0; r->type == RECORD_CALLCHAIN_DEFERRED && i < r->deferred.nr; i++)
		fuzz_use(record_deferred_ip(r, i, big_endian));
	for (uint64_t i = 0; r->type == RECORD_BPF_METADATA && i < r->bpf_metadata.nr; i++) {
		record_bpf_metadata_entry(r, i, &key, &value);
		fuzz_use((uint8_t)(key[63] + value[255]));
	}
}

static void decode(struct evlist *evlist, const struct raw_record *raw)
{
	static struct sample_decoder decoder;
	static struct sample decoded;
	struct event *event = evlist_of(evlist, raw);
	struct record record;

	if (event)
		fuzz_use(event_time(event, raw, evlist->big_endian));
	if (event && raw->type == RECORD_SAMPLE) {
		if (!sample_decode(&decoder, event, raw, evlist->big_endian, &decoded))
			use_sample(evlist, event, &decoded);
	} else if ((event || raw->type >= RECORD_USER_FIRST) &&
		   !record_decode(raw, event, evlist->big_endian, &record)) {
		use_record(&record, evlist->big_endian);
	}
}

int fuzz_one(const uint8_t *data, size_t size)
{
	bool big_endian = size && data[0] & 1;
	const uint64_t id = 1;
	struct attr attr;

	if (size < 1 + ATTR_MAX_SIZE + RECORD_HEADER_SIZE || size > 1 + ATTR_MAX_SIZE + RECORD_MAX_SIZE ||
	    attr_decode(data + 1, ATTR_MAX_SIZE, big_endian, &attr))
		return 0;
	struct evlist *evlist = evlist_new(big_endian);
	evlist_add(evlist, &attr, &id, 1, NULL);
	evlist_finish(evlist);
	const uint8_t *at = data + 1 + ATTR_MAX_SIZE;
	struct raw_record raw = { .data = at,
				  .type = load_u32(at, big_endian),
				  .misc = load_u16(at + 4, big_endian),
				  .size = (uint16_t)(size - 1 - ATTR_MAX_SIZE) };
	decode(evlist, &raw);
	evlist_free(evlist);
	return 0;
}
