#include "symbolize/code.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/dso.h"
#include "symbolize/image.h"
#include "symbolize/insn_set.h"
#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define BPF_TAG_DIGITS 16

/* Of a machine. */
struct vmlinux {
	bool tried;
	struct image *image; /* NULL: none */
};

struct code {
	struct symbolizer *symbolizer;
	VEC(struct vmlinux) vmlinux;  /* by dso->machine */
	VEC(struct insn_sets *) sets; /* by dso->index; NULL: not asked yet */
	struct hash pokes;	      /* {dso->index, offset} -> byte */
	struct hash bpf_index;	      /* {address, tag} -> index in bpf */
	VEC(struct code_bytes) bpf;
	VEC(uint8_t) patched;	      /* bytes with pokes laid over them */
};

struct code *code_new(struct symbolizer *symbolizer)
{
	struct code *c = xcalloc(1, sizeof(*c));

	c->symbolizer = symbolizer;
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->sets.count; i++)
		insn_sets_free(c->sets.at[i]);
	vec_free(&c->sets);
	hash_free(&c->pokes);
	hash_free(&c->bpf_index);
	vec_free(&c->bpf);
	vec_free(&c->patched);
	for (size_t i = 0; i < c->vmlinux.count; i++)
		image_free(c->vmlinux.at[i].image);
	vec_free(&c->vmlinux);
	free(c);
}

static const struct image *vmlinux_image(struct code *c, uint32_t machine, const struct kernel *kernel)
{
	const char *path = kernel_vmlinux(kernel), *why;
	struct vmlinux none = { 0 };

	while (c->vmlinux.count <= machine)
		vec_push(&c->vmlinux, none);
	struct vmlinux *vmlinux = &c->vmlinux.at[machine];
	if (!vmlinux->tried && path) {
		vmlinux->tried = true;
		vmlinux->image = image_open(path, &why);
	}
	return vmlinux->image;
}

static const struct image *kernel_image(struct code *c, const struct spot *spot, uint64_t *ret_offset)
{
	uint32_t machine = spot->location->dso->machine;
	const struct kernel *kernel = symbolizer_kernel(c->symbolizer, machine);
	const struct image *image = vmlinux_image(c, machine, kernel);
	uint64_t address = spot->offset + kernel_vmlinux_shift(kernel);

	return image && image_offset_of(image, address, ret_offset) ? image : NULL;
}

/* Where the spot is in which file; NULL: in none. */
static const struct image *image_of(struct code *c, const struct spot *spot, uint64_t *ret_offset)
{
	const struct dso *dso = spot->location->dso;

	if (!dso)
		return NULL;
	if (dso->kind == DSO_KERNEL)
		return kernel_image(c, spot, ret_offset);
	*ret_offset = spot->offset;
	return dso->identity ? NULL : dso->binary;
}

static const struct insn_sets *insn_sets_of(struct code *c, const struct arch *arch, const struct dso *dso)
{
	if (dso->index >= c->sets.count) {
		size_t old = c->sets.count, count = (size_t)dso->index + 1;
		vec_reserve(&c->sets, count);
		memset(c->sets.at + old, 0, (count - old) * sizeof(*c->sets.at));
		c->sets.count = count;
	}
	struct insn_sets **sets = &c->sets.at[dso->index];
	if (!*sets)
		*sets = insn_sets_new(arch, dso->binary, dso->debug);
	return *sets;
}

static bool is_alternate(struct code *c, const struct arch *arch, const struct spot *spot,
			 const struct code_bytes *bytes)
{
	const struct dso *dso = spot->location->dso;
	uint64_t vaddr = spot->offset;
	bool sure;

	if (!arch->mapping_insn_set || !dso->binary)
		return false;
	if (!dso->identity)
		image_vaddr_of(dso->binary, spot->offset, &vaddr);
	bool alternate = insn_sets_alternate(insn_sets_of(c, arch, dso), vaddr, &sure);
	if (sure || !alternate || vaddr % 4)
		return alternate;
	return !arch->looks_like_main(bytes->at, bytes->size);
}

static struct disasm_mode mode_of(struct code *c, const struct image *image, const struct spot *spot,
				  const struct code_bytes *bytes)
{
	const struct arch *arch = arch_by_elf(image->machine, image->word_size);

	if (arch == &arch_unknown) /* x32: 64-bit code in a 32-bit file */
		arch = arch_by_elf(image->machine, 0);
	return (struct disasm_mode){ arch, image->big_endian, is_alternate(c, arch, spot, bytes) };
}

static void lay_pokes(struct code *c, const struct spot *spot, struct code_bytes *bytes)
{
	vec_reserve(&c->patched, bytes->size);
	for (size_t i = 0; i < bytes->size; i++) {
		uint64_t poked = hash_get(&c->pokes, spot->location->dso->index, spot->offset + i);
		c->patched.at[i] = poked == HASH_NONE ? bytes->at[i] : (uint8_t)poked;
	}
	bytes->at = c->patched.at;
}

static bool file_bytes(struct code *c, const struct spot *spot, size_t size, struct code_bytes *ret)
{
	uint64_t offset;
	const struct image *image = image_of(c, spot, &offset);

	if (!image)
		return false;
	ret->at = image_bytes(image, offset, size, &ret->size);
	if (!ret->at)
		return false;
	ret->mode = mode_of(c, image, spot, ret);
	return true;
}

/* BPF programs */

/* Behind the tag the recording has the program's name, the kernel the function's. False: it is no program. */
static bool read_bpf_tag(const char *name, uint64_t *ret)
{
	static const char prefix[] = "bpf_prog_";
	size_t length = sizeof(prefix) - 1;

	if (strncmp(name, prefix, length) || strspn(name + length, "0123456789abcdef") != BPF_TAG_DIGITS)
		return false;
	*ret = strtoull(name + length, NULL, 16);
	return true;
}

void code_add_bpf(struct code *c, uint64_t address, const char *name, const struct code_bytes *bytes)
{
	uint64_t tag;

	if (!read_bpf_tag(name, &tag))
		return;
	hash_put(&c->bpf_index, address, tag, c->bpf.count);
	vec_push(&c->bpf, *bytes);
}

static bool bpf_bytes(struct code *c, const struct spot *spot, uint64_t address, size_t size,
		      struct code_bytes *ret)
{
	uint64_t tag, index = HASH_NONE;

	if (read_bpf_tag(spot->location->dso->name, &tag))
		index = hash_get(&c->bpf_index, address - spot->offset, tag);
	if (index == HASH_NONE || spot->offset >= c->bpf.at[index].size)
		return false;
	*ret = c->bpf.at[index];
	ret->at += spot->offset;
	ret->size -= (size_t)spot->offset;
	if (size < ret->size)
		ret->size = size;
	return true;
}

bool code_at(struct code *c, const struct spot *spot, uint64_t address, size_t size, struct code_bytes *ret)
{
	const struct dso *dso = spot->location->dso;
	bool found = dso && dso->kind == DSO_KSYMBOL ? bpf_bytes(c, spot, address, size, ret)
						     : file_bytes(c, spot, size, ret);

	if (found && c->pokes.count)
		lay_pokes(c, spot, ret);
	return found;
}

void code_poke(struct code *c, const struct spot *spot, const uint8_t *bytes, size_t size)
{
	if (!spot->location->dso)
		return;
	for (size_t i = 0; i < size; i++)
		hash_put(&c->pokes, spot->location->dso->index, spot->offset + i, bytes[i]);
}
