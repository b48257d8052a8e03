#!/bin/bash
# A JIT compiler's code by its jitdump, beside the files that perf inject --jit makes of it.
. "$(dirname "$0")/lib.bash"
command -v perf >/dev/null || skip "no perf"
command -v gcc >/dev/null || skip "no gcc"
case $(uname -m) in
x86_64) code='0x48,0x89,0xf9,0x48,0xff,0xc9,0x75,0xfb,0xc3' machine=62 ;;                # mov, dec, jnz, ret
aarch64) code='0x00,0x04,0x00,0xf1,0xe1,0xff,0xff,0x54,0xc0,0x03,0x5f,0xd6' machine=183 ;; # subs, b.ne, ret
*) skip "no code for a $(uname -m)" ;;
esac
cd "$tmp" || exit 1

# Loops in memory that is used again, in memory that stays, and in memory that no record tells of (mprotect).
cat >jit.c <<END
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = { $code };
static FILE *dump;
static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static void run(char *at, const char *name, uint64_t index, uint64_t loops)
{
	uint32_t size = 56 + strlen(name) + 1 + sizeof(code), pid = getpid();
	uint32_t prefix[] = { 0, size };
	uint64_t time = now(), rest[] = { (uint64_t)at, (uint64_t)at, sizeof(code), index };
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
	fwrite(prefix, 8, 1, dump), fwrite(&time, 8, 1, dump);
	fwrite(&pid, 4, 1, dump), fwrite(&pid, 4, 1, dump), fwrite(rest, 32, 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump), fwrite(code, sizeof(code), 1, dump);
	fflush(dump);
	mprotect((void *)((uintptr_t)at & -4096), 4096, PROT_READ | PROT_EXEC);
	((void (*)(uint64_t))at)(loops);
	mprotect((void *)((uintptr_t)at & -4096), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
}
int main(void)
{
	char path[4096];
	uint32_t header[] = { 0x4A695444, 1, 40, $machine, 0, getpid(), 0, 0, 0, 0 };
	snprintf(path, sizeof(path), "$tmp/jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	fwrite(header, 40, 1, dump), fflush(dump);
	mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	char *memory = mmap(0, 65536, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *hidden = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run(memory, "first_here", 1, 60000000);
	run(memory + 4096, "stays", 2, 60000000);
	run(memory, "second_here", 3, 60000000);
	run(memory, "third_here", 4, 60000000);
	run(hidden, "by_mprotect", 5, 60000000);
	return 0;
}
END
gcc -O1 -w -o jit jit.c || fail "the program cannot be built"

# names FILE ARG...: how many samples each of the program's functions has.
names() {
	"$perf2txt" -q -G -F ip,sym "$@" | awk '{ print $2 }' | grep -E '_here$|^stays$|^by_mprotect$' | sort | uniq -c
}

# The clock of the recording is that of the dump, and so every sample has the name of its time.
perf record -q -k mono -e cpu-clock -F 499 -o mono.data ./jit >/dev/null 2>&1 || skip "perf cannot record here"
names mono.data --perf-map-dir "$tmp" >got
[[ $(wc -l <got) == 5 ]] || skip "too few samples: $(cat got)"
perf inject --jit -i mono.data -o injected.data >/dev/null 2>&1 || skip "perf cannot inject"
names injected.data >want
same want got "names by the dump (>) and by perf inject --jit (<) differ"
"$perf2txt" -q injected.data -F ip,sym,symoff,dso >got
perf script -i injected.data -F ip,sym,symoff,dso 2>/dev/null >want
grep -c 'jitted-' got >/dev/null || fail "no sample is in a jitted-PID-N.so"
same <(grep jitted- want) <(grep jitted- got) "the files of perf inject --jit are read otherwise than by perf"

# Not so with another clock: the last one counts.
rm -f jit-*.dump
perf record -q -e cpu-clock -F 499 -o other.data ./jit >/dev/null 2>&1 || skip "perf cannot record here"
names other.data --perf-map-dir "$tmp" | awk '{ print $2 }' >got
printf '%s\n' by_mprotect stays third_here >want
same want got "without a common clock"

# The dump is not found: the summary says which one.
rm -f jit-*.dump
"$perf2txt" other.data --perf-map-dir "$tmp" 2>&1 >/dev/null |
	grep -qE "^perf2txt: no symbols for /tmp/perf-[0-9]+\.map: not found, last looked at $tmp/jit-[0-9]+\.dump; " ||
	fail "the summary does not name the dump"
exit 0
