#include "symbolize/debug_abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

#include "util/xalloc.h"

/* Of an abbreviation whose attributes take more: then they are read one by one. */
#define MAX_SKIP 65536

struct debug_abbrevs {
	struct cursor rest;
	struct debug_abbrev_sizes sizes;
	uint64_t *bytes_left;
	bool ended;
	VEC(struct debug_abbrev) list;
	VEC(struct debug_spec) specs;
	bool sparse; /* codes do not simply count from 1: then they are in the table */
	struct hash by_code;
};

struct debug_abbrevs *debug_abbrevs_new(struct cursor table, const struct debug_abbrev_sizes *sizes,
					uint64_t *bytes_left)
{
	struct debug_abbrevs *abbrevs = xcalloc(1, sizeof(*abbrevs));

	abbrevs->rest = table;
	abbrevs->sizes = *sizes;
	abbrevs->bytes_left = bytes_left;
	return abbrevs;
}

void debug_abbrevs_free(struct debug_abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	vec_free(&abbrevs->list);
	vec_free(&abbrevs->specs);
	hash_free(&abbrevs->by_code);
	free(abbrevs);
}

static uint8_t attr_of(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
		return ATTR_SIBLING;
	case DW_AT_name:
		return ATTR_NAME;
	case DW_AT_linkage_name:
		return ATTR_LINKAGE_NAME;
	case DW_AT_MIPS_linkage_name:
		return ATTR_MIPS_LINKAGE_NAME;
	case DW_AT_low_pc:
		return ATTR_LOW_PC;
	case DW_AT_high_pc:
		return ATTR_HIGH_PC;
	case DW_AT_ranges:
		return ATTR_RANGES;
	case DW_AT_abstract_origin:
		return ATTR_ORIGIN;
	case DW_AT_specification:
		return ATTR_SPECIFICATION;
	case DW_AT_call_file:
		return ATTR_CALL_FILE;
	case DW_AT_call_line:
		return ATTR_CALL_LINE;
	case DW_AT_stmt_list:
		return ATTR_STMT_LIST;
	case DW_AT_comp_dir:
		return ATTR_COMP_DIR;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return ATTR_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return ATTR_DWO_ID;
	case DW_AT_str_offsets_base:
		return ATTR_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return ATTR_ADDR_BASE;
	case DW_AT_rnglists_base:
		return ATTR_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return ATTR_GNU_RANGES_BASE;
	default:
		return NR_ATTRS;
	}
}

/* Entries with code, or around such: of no other one an attribute is read, but where its next one is. */
static bool is_read(unsigned tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

int debug_form_size(unsigned form, const struct debug_abbrev_sizes *sizes)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return sizes->address;
	case DW_FORM_ref_addr: /* an address in DWARF 2 */
		return sizes->version == 2 ? sizes->address : sizes->offset;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return sizes->offset;
	default:
		return -1;
	}
}

/* False: the list of attributes ends here. */
static bool read_spec(struct debug_abbrevs *abbrevs, struct debug_abbrev *abbrev)
{
	struct cursor *c = &abbrevs->rest;
	uint64_t name = cursor_uleb128(c), form = cursor_uleb128(c);

	if ((!name && !form) || cursor_bad(c))
		return false;
	/* An unknown form makes the entry unreadable, whatever its number. */
	struct debug_spec spec = { .attr = attr_of(name), .form = form <= UINT16_MAX ? (uint16_t)form : 0 };
	if (form == DW_FORM_implicit_const)
		spec.constant = cursor_sleb128(c);
	vec_push(&abbrevs->specs, spec);
	abbrev->count++;
	int size = debug_form_size(spec.form, &abbrevs->sizes);
	bool needed = spec.attr == ATTR_SIBLING || (spec.attr != NR_ATTRS && is_read(abbrev->tag));
	if (needed || size < 0 || abbrev->skip > MAX_SKIP)
		abbrev->skip = -1;
	else if (abbrev->skip >= 0)
		abbrev->skip += size;
	return true;
}

static void keep(struct debug_abbrevs *abbrevs, const struct debug_abbrev *abbrev)
{
	size_t index = abbrevs->list.count;

	if (!abbrevs->sparse && abbrev->code != index + 1) {
		abbrevs->sparse = true;
		for (size_t i = 0; i < index; i++)
			hash_put(&abbrevs->by_code, i + 1, 0, i);
	}
	if (abbrevs->sparse) {
		if (hash_get(&abbrevs->by_code, abbrev->code, 0) != HASH_NONE)
			return;
		hash_put(&abbrevs->by_code, abbrev->code, 0, index);
	}
	vec_push(&abbrevs->list, *abbrev);
}

/* Read one more. False: there is none. */
static bool read_abbrev(struct debug_abbrevs *abbrevs)
{
	struct cursor *c = &abbrevs->rest;
	const uint8_t *start = c->at;

	if (cursor_left(c) > *abbrevs->bytes_left)
		c->end = c->at + *abbrevs->bytes_left;
	struct debug_abbrev abbrev = { .code = cursor_uleb128(c), .first = (uint32_t)abbrevs->specs.count };
	if (abbrev.code) {
		uint64_t tag = cursor_uleb128(c);
		abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
		abbrev.has_children = cursor_u8(c) == DW_CHILDREN_yes;
		while (read_spec(abbrevs, &abbrev))
			;
	}
	*abbrevs->bytes_left -= (size_t)(c->at - start);
	if (!abbrev.code || cursor_bad(c) || abbrevs->specs.count > INT32_MAX)
		return false;
	keep(abbrevs, &abbrev);
	return true;
}

static const struct debug_abbrev *find_read(const struct debug_abbrevs *abbrevs, uint64_t code)
{
	if (!abbrevs->sparse)
		return code && code <= abbrevs->list.count ? &abbrevs->list.at[code - 1] : NULL;
	uint64_t index = hash_get(&abbrevs->by_code, code, 0);
	return index == HASH_NONE ? NULL : &abbrevs->list.at[index];
}

const struct debug_abbrev *debug_abbrevs_find(struct debug_abbrevs *abbrevs, uint64_t code)
{
	const struct debug_abbrev *found = find_read(abbrevs, code);

	while (!found && !abbrevs->ended) {
		abbrevs->ended = !read_abbrev(abbrevs);
		found = find_read(abbrevs, code);
	}
	return found;
}

const struct debug_spec *debug_abbrevs_specs(const struct debug_abbrevs *abbrevs,
					     const struct debug_abbrev *abbrev)
{
	return abbrevs->specs.at + abbrev->first;
}
