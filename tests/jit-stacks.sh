#!/bin/bash
# Stacks through a JIT compiler's code, by the unwind rules in its jitdump.
. "${0%/*}/lib.bash"
for tool in perf gcc awk; do command -v $tool >/dev/null || skip "no $tool"; done
[ "$(uname -m)" = x86_64 ] || skip "no code for a $(uname -m)"
cd "$tmp" || exit 1

cat >jit.c <<END
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
/* push %rbp; sub \$16,%rsp; mov \$1,%ebp; call *%rdi; add \$16,%rsp; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x83, 0xec, 0x10, 0xbd, 1, 0, 0, 0,
				      0xff, 0xd7, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3 };
/* CIE, FDE: the CFA is rsp + 32, rbp at CFA - 16; end; .eh_frame_hdr, which nobody needs */
static const unsigned char frames[52 + 20] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	20, 0, 0, 0, 28, 0, 0, 0, 0xc8, 0xff, 0xff, 0xff, sizeof(code), 0, 0, 0, 0, 0x0e, 32, 0x86, 2, 0, 0, 0
};
static FILE *dump;
static volatile int sink;
static void prefix(uint32_t id, size_t size)
{
	uint32_t words[] = { id, 16 + size };
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t time = t.tv_sec * 1000000000ull + t.tv_nsec;
	fwrite(words, 8, 1, dump), fwrite(&time, 8, 1, dump);
}
__attribute__((noinline)) void called_back(void)
{
	for (int i = 0; i < 300000000; i++)
		sink = i;
}
__attribute__((noinline)) void run(void (*jitted)(void (*)(void)))
{
	jitted(called_back);
	sink = 1;
}
int main(void)
{
	char path[4096];
	uint32_t header[] = { 0x4A695444, 1, 40, 62, 0, getpid(), 0, 0, 0, 0 }, ids[] = { getpid(), getpid() };
	snprintf(path, sizeof(path), "$tmp/jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	fwrite(header, 40, 1, dump), fflush(dump);
	mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	char *memory = mmap(0, 65536, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sizes[] = { sizeof(frames), 20, 0 }, rest[] = { (uint64_t)memory, (uint64_t)memory, sizeof(code), 1 };
	prefix(4, sizeof(sizes) + sizeof(frames));
	fwrite(sizes, 24, 1, dump), fwrite(frames, sizeof(frames), 1, dump);
	prefix(0, 40 + 7 + sizeof(code));
	fwrite(ids, 8, 1, dump), fwrite(rest, 32, 1, dump), fwrite("jitted", 7, 1, dump);
	fwrite(code, sizeof(code), 1, dump), fflush(dump);
	memcpy(memory, code, sizeof(code));
	run((void (*)(void (*)(void)))memory);
	return 0;
}
END
gcc -O1 -w -o jit jit.c || fail "the program cannot be built"
perf record -q -k mono -e cpu-clock -F 199 --call-graph dwarf,8192 -o jit.data ./jit >/dev/null 2>&1 ||
	skip "perf cannot record here"
"$perf2txt" -q --folded --no-inline -i jit.data --perf-map-dir "$tmp" >got || fail "perf2txt"
all=$(awk -F'[; ]' '/called_back/ { n++ } END { print n + 0 }' got)
[ "$all" != 0 ] || skip "too few samples"
# (The kernel's frames of an interrupted loop are behind it.)
grep called_back got | grep -vE '^jit;_start;.*;main;run;jitted;called_back[; ]' >wrong
[ ! -s wrong ] || fail "stacks through jitted code: $(head -3 wrong)"
exit 0
