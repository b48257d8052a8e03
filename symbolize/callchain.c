#include "symbolize/callchain.h"

#define BRANCH_WORDS 3

void callchain_free(struct callchain *c)
{
	vec_free(&c->frames);
	*c = (struct callchain){ 0 };
}

void callchain_reset(struct callchain *c)
{
	vec_clear(&c->frames);
	c->nr_recorded = 0;
	c->mode = CALLCHAIN_USER;
	c->after_mark = true;
	c->has_branches = false;
}

void callchain_add(struct callchain *c, struct callchain_frame frame)
{
	vec_push(&c->frames, frame);
}

/* False: no marker of a host's chain; perf 7.2 drops chains with those of guests too. */
static bool set_mode(struct callchain *c, uint64_t mark)
{
	switch (mark) {
	case CALLCHAIN_MARK_HYPERVISOR:
		c->mode = CALLCHAIN_HYPERVISOR;
		break;
	case CALLCHAIN_MARK_KERNEL:
		c->mode = CALLCHAIN_KERNEL;
		break;
	case CALLCHAIN_MARK_USER:
	case CALLCHAIN_MARK_USER_DEFERRED:
		c->mode = CALLCHAIN_USER;
		break;
	default:
		return false;
	}
	c->after_mark = true;
	return true;
}

bool callchain_is_deferred(const uint64_t *ips, size_t count, uint64_t *ret_cookie)
{
	if (!ips || count < 2 || ips[count - 2] != CALLCHAIN_MARK_USER_DEFERRED)
		return false;
	*ret_cookie = ips[count - 1];
	return true;
}

/*
 * The first address behind a marker comes from the registers that were saved at the interrupt or system call:
 * code was executed there. All others were read from the stack: calls return there, unless the recorder has
 * gone back to the calls.
 */
static void add_address(struct callchain *c, uint64_t ip, bool is_cookie)
{
	c->frames.at[c->frames.count++] = (struct callchain_frame){
		.ip = ip,
		.mode = c->mode,
		.is_return = !c->after_mark && !c->has_calls,
		.is_cookie = is_cookie,
	};
	c->nr_recorded++;
	c->after_mark = false;
}

bool callchain_add_recorded(struct callchain *c, const uint64_t *ips, size_t count, size_t max_stack)
{
	uint64_t cookie;
	bool deferred = callchain_is_deferred(ips, count, &cookie);

	if (!ips)
		return true;
	vec_reserve(&c->frames, c->frames.count + count);
	for (size_t i = 0; i < count && c->nr_recorded < max_stack; i++) {
		bool is_cookie = deferred && i == count - 1;
		if (ips[i] < CALLCHAIN_MARK_FIRST || is_cookie) {
			add_address(c, ips[i], is_cookie);
		} else if (!set_mode(c, ips[i])) {
			callchain_reset(c);
			return false;
		}
	}
	return true;
}

/* Where the user part begins, looked for in the first @max_stack entries as by perf 7.2; @count: nowhere. */
static size_t find_user_mark(const uint64_t *ips, size_t count, size_t max_stack)
{
	for (size_t i = 0; ips && i < count && i < max_stack; i++) {
		if (ips[i] == CALLCHAIN_MARK_USER)
			return i;
	}
	return count;
}

bool callchain_add_lbr(struct callchain *c, const uint64_t *ips, size_t count, size_t max_stack,
		       uint64_t sample_ip, const uint64_t *branches, size_t nr_branches)
{
	size_t user = find_user_mark(ips, count, max_stack);

	if (user == count || (!sample_ip && !nr_branches))
		return callchain_add_recorded(c, ips, count, max_stack);
	if (!callchain_add_recorded(c, ips, user, max_stack))
		return false;
	uint64_t ip = sample_ip ? sample_ip : branches[1];
	callchain_add(c, (struct callchain_frame){ .ip = ip, .mode = CALLCHAIN_USER });
	for (size_t i = 0; i < nr_branches; i++) {
		uint64_t from = branches[BRANCH_WORDS * i];
		callchain_add(c, (struct callchain_frame){ .ip = from, .mode = CALLCHAIN_USER });
	}
	c->has_branches = true;
	return true;
}
