#include "resolve_code.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/code.h"
#include "util/arena.h"
#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * A block is what ran from one branch's target to the next branch. perf dumps blocks of up to 16384 bytes
 * less the longest instruction, and goes on behind the place where a branch should have been as far as one
 * reaches.
 */
#define LONGEST_INSN 15
#define LONGEST_BLOCK (16384 - LONGEST_INSN)
/* Where the sample lies before the last target, a branch was lost: perf looks for it in this many bytes. */
#define LOST_BRANCH_REACH 128
/*
 * Processors keep at most 64 branches, of which few blocks have more than a hundred instructions. Only forged
 * stacks have more lines than this; they end here.
 */
#define MAX_LINES (1u << 18)

static void add_bpf_programs(struct code *code, const struct resolve_code_options *options)
{
	const struct features *features = options->features;

	for (size_t i = 0; features && i < features->bpf_progs.count; i++) {
		const struct bpf_prog *prog = &features->bpf_progs.at[i];
		struct code_bytes bytes = { prog->code,
					    prog->size,
					    { options->arch, options->big_endian, false } };
		if (prog->code)
			code_add_bpf(code, prog->addr, prog->name, &bytes);
	}
}

struct resolve_code {
	struct resolve *resolve;
	struct symbolizer *symbolizer;
	struct resolve_code_options options;
	struct code *code;
	struct disasm *disasm;
	struct hash insns; /* {location->id, address} -> struct view_insn, in the arena */
	struct arena arena;
	VEC(struct view_code_line) lines;
};

struct resolve_code *resolve_code_new(struct resolve *resolve, struct symbolizer *symbolizer,
				      const struct resolve_code_options *options)
{
	struct resolve_code *r = xcalloc(1, sizeof(*r));

	r->resolve = resolve;
	r->symbolizer = symbolizer;
	r->options = *options;
	r->code = code_new(symbolizer);
	add_bpf_programs(r->code, options);
	r->disasm = disasm_new();
	return r;
}

void resolve_code_free(struct resolve_code *r)
{
	if (!r)
		return;
	vec_free(&r->lines);
	hash_free(&r->insns);
	arena_free(&r->arena);
	disasm_free(r->disasm);
	code_free(r->code);
	free(r);
}

/* Instructions */

static void set_text(struct resolve_code *r, const struct code_bytes *code, uint64_t address,
		     struct view_insn *insn)
{
	struct disasm_insn text;

	if (!disasm_insn(r->disasm, &code->mode, code->at, insn->size, address, &text))
		return;
	insn->mnemonic = arena_strndup(&r->arena, text.mnemonic, strlen(text.mnemonic));
	insn->operands = arena_strndup(&r->arena, text.operands, strlen(text.operands));
	insn->has_target = text.has_target;
	insn->target = text.target;
}

static struct view_insn *make_insn(struct resolve_code *r, const struct code_bytes *code, uint64_t address)
{
	const struct arch *arch = code->mode.arch;
	struct view_insn *insn = arena_alloc(&r->arena, sizeof(*insn));
	size_t shown = arch->insn_size;
	bool leaves = false;

	*insn = (struct view_insn){ .length = arch->insn_size <= code->size ? arch->insn_size : 0 };
	if (arch->insn_length)
		insn->length =
			(uint8_t)arch->insn_length(code->at, code->size, code->mode.alternate, &leaves);
	if (arch == &arch_unknown)
		shown = VIEW_INSN_MAX;
	else if (!shown)
		shown = insn->length ? insn->length : LONGEST_INSN;
	insn->size = (uint8_t)(shown < code->size ? shown : code->size);
	insn->leaves = leaves;
	memcpy(insn->bytes, code->at, code->size);
	if (r->options.disasm && insn->size)
		set_text(r, code, address, insn);
	return insn;
}

/* NULL: there are no bytes. */
static const struct view_insn *insn_at(struct resolve_code *r, const struct spot *spot, uint64_t address)
{
	struct view_insn *insn = hash_get_ptr(&r->insns, spot->location->id, address);
	struct code_bytes code;

	if (insn || !code_at(r->code, spot, address, VIEW_INSN_MAX, &code))
		return insn;
	insn = make_insn(r, &code, address);
	hash_put_ptr(&r->insns, spot->location->id, address, insn);
	return insn;
}

/* Branches cross between the two, so the address tells, where it can. */
static bool is_kernel(const struct resolve_code *r, const struct view *view, uint64_t address)
{
	uint64_t kernel_start = r->options.arch->kernel_start;

	if (kernel_start)
		return address >= kernel_start;
	return view->sample->cpumode == CPUMODE_KERNEL || view->sample->cpumode == CPUMODE_GUEST_KERNEL;
}

static struct spot target_of(struct resolve_code *r, const struct maps *maps, const struct view_insn *insn)
{
	struct spot none = { 0 };

	if (!insn || !insn->has_target)
		return none;
	struct spot target = symbolizer_at(r->symbolizer, maps, insn->target, false);
	return target.location->name ? target : none;
}

void resolve_code_insn(struct resolve_code *r, struct view *view)
{
	view->insn = view->ip.location ? insn_at(r, &view->ip, view->sample->ip) : NULL;
	if (view->insn)
		view->insn_target = target_of(r, resolve_maps(r->resolve, view->sample->cpumode), view->insn);
}

/* Branch stacks */

/* The way through the code of one sample. */
struct walk {
	struct resolve_code *r;
	const struct view *view;
	const struct location *symbol; /* that was named last; NULL: none yet */
	uint32_t branch;	       /* the next branch to come */
	uint32_t nr_insns;	       /* since the branch before */
};

struct place {
	uint64_t address;
	const struct maps *maps;
	struct spot spot;
	const struct view_insn *insn; /* NULL: there is no code */
};

static struct place look_at(struct walk *w, uint64_t address)
{
	unsigned cpumode = is_kernel(w->r, w->view, address) ? CPUMODE_KERNEL : CPUMODE_USER;
	struct place place = { .address = address, .maps = resolve_maps(w->r->resolve, cpumode) };

	place.spot = symbolizer_at(w->r->symbolizer, place.maps, address, false);
	place.insn = insn_at(w->r, &place.spot, address);
	return place;
}

static void add_line(struct walk *w, const struct view_code_line *line)
{
	if (w->r->lines.count < MAX_LINES)
		vec_push(&w->r->lines, *line);
}

static void add_note(struct walk *w, enum view_code_kind kind, uint64_t address)
{
	add_line(w, &(struct view_code_line){ .kind = kind, .ip = address });
}

static bool same_symbol(const struct location *a, const struct location *b)
{
	return a->dso == b->dso && a->name == b->name && a->symbol_start == b->symbol_start;
}

static void add_symbol(struct walk *w, const struct place *place)
{
	const struct location *location = place->spot.location;

	if (!location->name || (w->symbol && same_symbol(w->symbol, location)))
		return;
	w->symbol = location;
	add_line(w, &(struct view_code_line){
			    .kind = VIEW_CODE_SYMBOL, .ip = place->address, .spot = place->spot });
}

/* An instruction has to end before @limit. Returns its length, 0 when it is none. */
static unsigned add_insn(struct walk *w, const struct place *place, uint64_t limit, enum view_code_kind kind)
{
	const struct view_insn *insn = place->insn;
	bool bad = !insn || !insn->length || insn->length > limit - place->address;
	struct view_code_line line = {
		.kind = kind,
		.branch = w->branch,
		.nr_insns = w->nr_insns,
		.ip = place->address,
		.spot = place->spot,
		.insn = bad ? NULL : insn,
		.target = target_of(w->r, place->maps, bad ? NULL : insn),
	};

	add_line(w, &line);
	return bad ? 0 : insn->length;
}

/* Can code from @start to @end be shown? */
static bool is_block(struct walk *w, uint64_t start, uint64_t end)
{
	return start && end && is_kernel(w->r, w->view, start) == is_kernel(w->r, w->view, end) &&
	       end - start <= LONGEST_BLOCK && look_at(w, start).insn;
}

/* From where the branch before went to the instruction that branched. */
static void add_block(struct walk *w, uint64_t start, uint64_t end)
{
	uint64_t limit = end + LONGEST_INSN, at = start;

	w->nr_insns = 0;
	while (at < limit) {
		struct place place = look_at(w, at);
		if (!place.insn)
			break;
		add_symbol(w, &place);
		w->nr_insns += at == end;
		unsigned length = add_insn(w, &place, limit, at == end ? VIEW_CODE_BRANCH : VIEW_CODE_INSN);
		if (at == end)
			return;
		if (!length)
			break;
		w->nr_insns++;
		at += length;
	}
	if (at != end)
		add_note(w, VIEW_CODE_MISMATCH, at);
}

/* Up to the sample, or to the first jump in between, which is one that the processor lost. */
static void add_way_to_sample(struct walk *w, uint64_t start, uint64_t size)
{
	unsigned length;

	for (uint64_t done = 0; done <= size; done += length) {
		struct place place = look_at(w, start + done);
		length = add_insn(w, &place, start + size + LONGEST_INSN, VIEW_CODE_INSN);
		if (!length)
			return;
		if (place.insn->leaves && place.address != w->view->sample->ip) {
			add_note(w, VIEW_CODE_NOT_REACHED, place.address);
			return;
		}
	}
}

static void add_last_block(struct walk *w, uint64_t start)
{
	uint64_t ip = w->view->sample->ip, end = ip < start ? start + LOST_BRANCH_REACH : ip;
	struct place place = look_at(w, start);

	add_symbol(w, &place);
	if (is_block(w, start, end)) {
		add_way_to_sample(w, start, end - start);
	} else if (is_block(w, ip, ip)) {
		place = look_at(w, ip);
		add_insn(w, &place, ip + LONGEST_INSN, VIEW_CODE_INSN);
	}
}

/* Nobody knows where the code before the oldest branch began. */
static void add_first_branch(struct walk *w, uint64_t from)
{
	if (!is_block(w, from, from))
		return;
	struct place place = look_at(w, from);
	add_symbol(w, &place);
	add_insn(w, &place, from + LONGEST_INSN, VIEW_CODE_BRANCH);
}

/*
 * Some processors record branches of the user only: then the one into the kernel is missing, and a block that
 * would end in the kernel is taken to end at the next branch.
 */
static void add_branches(struct walk *w, const struct branch_entry *branches, uint32_t count)
{
	w->branch = count - 1;
	add_first_branch(w, branches[w->branch].from);
	while (w->branch > 0) {
		uint64_t start = branches[w->branch--].to;
		uint64_t end = branches[w->branch].from;
		bool crosses =
			start && end && is_kernel(w->r, w->view, start) != is_kernel(w->r, w->view, end);
		if (crosses && w->branch > 0)
			end = branches[--w->branch].from;
		if (is_block(w, start, end))
			add_block(w, start, end);
	}
}

void resolve_code_branches(struct resolve_code *r, struct view *view)
{
	const struct sample *sample = view->sample;
	struct walk w = { .r = r, .view = view };
	uint64_t count = sample->branches ? sample->nr_branches : 0;

	vec_clear(&r->lines);
	if (r->options.max_blocks && count > (uint64_t)r->options.max_blocks + 1)
		count = (uint64_t)r->options.max_blocks + 1;
	if (!count)
		return;
	add_branches(&w, sample->branches, (uint32_t)count);
	bool aborted = sample->branches[0].flags >> 3 & 1;
	if (sample->branches[0].from != sample->ip && !aborted)
		add_last_block(&w, sample->branches[0].to);
	view->has_code = true;
	view->code = r->lines.at;
	view->nr_code = r->lines.count;
}

/* Pokes come in bursts, when tracing is switched on: what was read is forgotten. */
void resolve_code_poke(struct resolve_code *r, struct machine *machine, const struct record *record)
{
	const struct record_text_poke *poke = &record->text_poke;

	if ((record->misc & MISC_CPUMODE_MASK) != CPUMODE_KERNEL || !poke->new_len)
		return;
	const struct maps *maps = symbolizer_kernel_maps(r->symbolizer, machine);
	struct spot spot = symbolizer_at(r->symbolizer, maps, poke->addr, false);
	code_poke(r->code, &spot, poke->new_bytes, poke->new_len);
	hash_clear(&r->insns);
	arena_free(&r->arena);
}
