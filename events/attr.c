#include "events/attr.h"

#include "events/perf_abi.h"
#include "util/cursor.h"

/* Of the fields that the size depends on: type and size itself. */
#define ATTR_SIZE_END 8

static uint64_t reverse_bits(uint64_t v)
{
	v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
	v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
	return __builtin_bswap64(v);
}

/*
 * Compilers for big-endian machines give out bit fields from the top of the word, so flag n is bit 63 - n
 * there. Reversing the word puts every single flag right but turns the only wider field, precise_ip, around.
 */
static uint64_t flags_from_big_endian(uint64_t word)
{
	uint64_t flags = reverse_bits(word);
	uint64_t precise_ip = flags >> ATTR_PRECISE_IP & 3;

	flags &= ~((uint64_t)3 << ATTR_PRECISE_IP);
	precise_ip = (precise_ip & 1) << 1 | precise_ip >> 1;
	return flags | precise_ip << ATTR_PRECISE_IP;
}

size_t attr_size(const void *data, size_t size, bool big_endian)
{
	if (size < ATTR_SIZE_END)
		return 0;
	size_t says = load_u32((const uint8_t *)data + 4, big_endian);
	if (!says)
		says = ATTR_MIN_SIZE;
	return says <= size ? says : 0;
}

static void decode_fields(struct cursor *c, struct attr *attr)
{
	attr->type = cursor_u32(c);
	cursor_skip(c, 4); /* size */
	attr->config = cursor_u64(c);
	attr->sample_period = cursor_u64(c);
	attr->sample_type = cursor_u64(c);
	attr->read_format = cursor_u64(c);
	uint64_t flags = cursor_u64(c);
	attr->flags = c->big_endian ? flags_from_big_endian(flags) : flags;
	attr->wakeup_events = cursor_u32(c);
	attr->bp_type = cursor_u32(c);
	attr->bp_addr = cursor_u64(c);
	/* From here on added by later kernels: what an older file does not have reads as 0. */
	attr->bp_len = cursor_u64(c);
	attr->branch_sample_type = cursor_u64(c);
	attr->sample_regs_user = cursor_u64(c);
	attr->sample_stack_user = cursor_u32(c);
	attr->clockid = (int32_t)cursor_u32(c);
	attr->sample_regs_intr = cursor_u64(c);
	attr->aux_watermark = cursor_u32(c);
	attr->sample_max_stack = cursor_u16(c);
	cursor_skip(c, 2); /* reserved */
	attr->aux_sample_size = cursor_u32(c);
	attr->aux_action = cursor_u32(c);
	attr->sig_data = cursor_u64(c);
	attr->config3 = cursor_u64(c);
	attr->config4 = cursor_u64(c);
}

const char *attr_decode(const void *data, size_t size, bool big_endian, struct attr *ret)
{
	size_t says = attr_size(data, size, big_endian);

	if (!says)
		return "the event attribute is longer than the bytes that hold it";
	if (says < ATTR_MIN_SIZE)
		return "the event attribute is shorter than any that was ever written";
	struct cursor c = cursor_make(data, says < ATTR_MAX_SIZE ? says : ATTR_MAX_SIZE, big_endian);
	*ret = (struct attr){ .size = (uint32_t)says };
	decode_fields(&c, ret);
	return NULL;
}
