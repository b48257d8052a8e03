#include "symbolize/load_jitdump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cursor.h"
#include "util/hash.h"
#include "util/xalloc.h"

#define MAGIC 0x4A695444 /* "JiTD", read in the writer's byte order */
#define FLAG_ARCH_TIMESTAMP 1

#define HEADER_SIZE 40
#define PREFIX_SIZE 16
#define LOAD_SIZE 40 /* what comes before the name */
#define MAX_NAME 4096     /* more of a name is cut off */
#define MAX_CODES 4000000 /* a JVM of a long day has some 100,000 */

/* Of one function, and of all of a file. */
#define MAX_EH_FRAME 65536
#define MAX_EH_FRAMES (1u << 28)
#define UNWINDING_SIZE 24 /* what comes before the data */

enum { CODE_LOAD = 0, CODE_MOVE = 1, UNWINDING_INFO = 4 };

struct parse {
	FILE *file;
	bool big_endian;
	struct jitdump *dump;
	struct hash by_index; /* a code's number in the file -> where it is in dump->codes */
	const uint8_t *eh_frame; /* of the next code */
	uint32_t eh_frame_size;
	uint8_t body[UNWINDING_SIZE + MAX_EH_FRAME];
};

static const char *reason_of_errno(void)
{
	return errno == ENOENT || errno == ENOTDIR ? "not found" : "cannot be read";
}

/* Anybody may have put anything there: no waiting for the writer of a pipe. */
static const char *open_dump(const char *path, FILE **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return reason_of_errno();
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return "not a regular file";
	}
	*ret = fdopen(fd, "rb");
	return *ret ? NULL : reason_of_errno();
}

static const char *read_header(struct parse *p)
{
	uint8_t bytes[HEADER_SIZE];

	if (fread(bytes, 1, sizeof(bytes), p->file) != sizeof(bytes))
		return "not a jitdump";
	p->big_endian = load_u32(bytes, true) == MAGIC;
	struct cursor c = cursor_make(bytes, sizeof(bytes), p->big_endian);
	if (cursor_u32(&c) != MAGIC)
		return "not a jitdump";
	cursor_skip(&c, 4); /* version: 1 */
	uint32_t size = cursor_u32(&c);
	p->dump->big_endian = p->big_endian;
	p->dump->machine = (uint16_t)cursor_u32(&c);
	cursor_skip(&c, 4 + 4 + 8); /* padding, pid, time */
	p->dump->arch_timestamps = cursor_u64(&c) & FLAG_ARCH_TIMESTAMP;
	if (size < HEADER_SIZE || fseeko(p->file, size, SEEK_SET))
		return "not a jitdump";
	return NULL;
}

static void add_code(struct parse *p, const struct jitdump_code *code, uint64_t index)
{
	if (code->end <= code->start || p->dump->codes.count >= MAX_CODES)
		return;
	hash_put(&p->by_index, index, 0, p->dump->codes.count);
	vec_push(&p->dump->codes, *code);
	p->dump->codes.at[p->dump->codes.count - 1].serial = (uint32_t)p->dump->codes.count - 1;
}

/* pid, tid, vma, address, size, index, name, the code itself. */
static void take_load(struct parse *p, struct cursor *c, uint64_t time)
{
	cursor_skip(c, 4 + 4 + 8);
	struct jitdump_code code = { .start = cursor_u64(c),
				     .time = time,
				     .eh_frame = p->eh_frame,
				     .eh_frame_size = p->eh_frame_size };
	p->eh_frame_size = 0;
	if (__builtin_add_overflow(code.start, cursor_u64(c), &code.end))
		return;
	uint64_t index = cursor_u64(c);
	if (cursor_bad(c))
		return;
	size_t left = cursor_left(c), length = strnlen((const char *)c->at, left);
	if (length == left && length < MAX_NAME)
		return;
	code.name = strtab_text(&p->dump->names, strtab_number(&p->dump->names, (const char *)c->at, length));
	add_code(p, &code, index);
}

/* pid, tid, vma, old address, new address, size, index. */
static void take_move(struct parse *p, struct cursor *c, uint64_t time)
{
	cursor_skip(c, 4 + 4 + 8 + 8);
	struct jitdump_code code = { .start = cursor_u64(c), .time = time };
	if (__builtin_add_overflow(code.start, cursor_u64(c), &code.end))
		return;
	uint64_t index = cursor_u64(c);
	uint64_t known = cursor_bad(c) ? HASH_NONE : hash_get(&p->by_index, index, 0);
	if (known == HASH_NONE)
		return;
	code.name = p->dump->codes.at[known].name;
	code.eh_frame = p->dump->codes.at[known].eh_frame;
	code.eh_frame_size = p->dump->codes.at[known].eh_frame_size;
	add_code(p, &code, index);
}

/* Size of the data, of the .eh_frame_hdr at its end, and of what is in memory of it. */
static void take_unwinding_info(struct parse *p, struct cursor *c)
{
	uint64_t size = cursor_u64(c), header_size = cursor_u64(c);
	struct strtab *all = &p->dump->eh_frames;

	cursor_skip(c, 8);
	p->eh_frame_size = 0;
	if (cursor_bad(c) || size > cursor_left(c) || header_size >= size ||
	    all->arena.total + size > MAX_EH_FRAMES)
		return;
	p->eh_frame_size = (uint32_t)(size - header_size);
	p->eh_frame =
		(const uint8_t *)strtab_text(all, strtab_number(all, (const char *)c->at, p->eh_frame_size));
	p->dump->has_eh_frames = true;
}

/* False: the file ends here, or what follows is no record. */
static bool take_record(struct parse *p)
{
	uint8_t prefix[PREFIX_SIZE];

	if (fread(prefix, 1, sizeof(prefix), p->file) != sizeof(prefix))
		return false;
	struct cursor c = cursor_make(prefix, sizeof(prefix), p->big_endian);
	uint32_t id = cursor_u32(&c), size = cursor_u32(&c);
	uint64_t time = cursor_u64(&c);
	if (size < PREFIX_SIZE)
		return false;
	size -= PREFIX_SIZE;
	if (id != CODE_LOAD && id != CODE_MOVE && id != UNWINDING_INFO)
		return !fseeko(p->file, size, SEEK_CUR);
	size_t wanted = id == UNWINDING_INFO ? sizeof(p->body) : LOAD_SIZE + MAX_NAME;
	size_t got = fread(p->body, 1, size < wanted ? size : wanted, p->file);
	c = cursor_make(p->body, got, p->big_endian);
	if (id == CODE_LOAD)
		take_load(p, &c, time);
	else if (id == CODE_MOVE)
		take_move(p, &c, time);
	else
		take_unwinding_info(p, &c);
	return !fseeko(p->file, (off_t)(size - got), SEEK_CUR);
}

const char *load_jitdump(const char *path, struct jitdump *ret)
{
	struct parse *p AUTOFREE = xcalloc(1, sizeof(*p));

	p->dump = ret;
	const char *reason = open_dump(path, &p->file);
	if (reason)
		return reason;
	reason = read_header(p);
	while (!reason && take_record(p))
		;
	fclose(p->file);
	hash_free(&p->by_index);
	if (!reason && !ret->codes.count)
		reason = "holds no symbols";
	if (reason)
		jitdump_free(ret);
	return reason;
}

uint64_t jitdump_eh_frame_address(const struct jitdump_code *code)
{
	return code->start + ((code->end - code->start + 7) & ~UINT64_C(7));
}

void jitdump_free(struct jitdump *dump)
{
	vec_free(&dump->codes);
	strtab_free(&dump->names);
	strtab_free(&dump->eh_frames);
	*dump = (struct jitdump){ 0 };
}

/* perf looks for /jit-PID.dump too; of a process in a container PID is another number than the recorded one.
 */
bool jitdump_is_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || strncmp(slash, "/jit-", 5) != 0)
		return false;
	const char *number = slash + 5;
	size_t digits = strspn(number, "0123456789");
	return digits && !strcmp(number + digits, ".dump");
}
