#include "symbolize/code.h"

#include "arch/arch.h"
#include "tests/check_run.h"
#include "tests/naming.h"

#define BASE UINT64_C(0x555500001000)
#define LINK UINT64_C(0xffffffff81000000)
#define RUN UINT64_C(0xffffffff9c000000) /* where the kernel was when it was recorded */

static struct naming n;
static struct code *c;
static struct code_bytes bytes;

static void write_code(uint64_t offset, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/spin", n.root);
	int fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, text, strlen(text), (off_t)offset), (ssize_t)strlen(text));
	close(fd);
}

static const struct spot *user_at(uint64_t address)
{
	static struct spot spot;

	spot = symbolizer_at(n.symbolizer, machine_thread(n.machine, 100, 100)->maps, address, false);
	return &spot;
}

static void begin_user(struct mkspin spin)
{
	naming_begin(&n, NULL);
	naming_file(&n, "/spin", spin);
	write_code(SPIN_MID, "code of mid");
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/spin");
	naming_map(&n, 100, 0x10000, 0x1000, 0, "//anon");
	c = code_new(n.symbolizer);
}

static void end(void)
{
	code_free(c);
	code_free(NULL);
	naming_end(&n);
}

START_TEST(user_code_comes_from_the_file)
{
	begin_user((struct mkspin){ .bias = 0x400000 });
	ck_assert(code_at(c, user_at(BASE + SPIN_MID - 0x1000), 0, 11, &bytes));
	ck_assert_uint_eq(bytes.size, 11);
	ck_assert_mem_eq(bytes.at, "code of mid", 11);
	ck_assert_str_eq(bytes.mode.arch->name, "x86_64");
	ck_assert(!bytes.mode.big_endian);
	ck_assert(!bytes.mode.alternate);
	ck_assert(!code_at(c, user_at(0x10010), 0, 16, &bytes));
	ck_assert(!code_at(c, user_at(0x999), 0, 16, &bytes));
	end();
}
END_TEST

START_TEST(the_file_says_how_to_read_it)
{
	begin_user((struct mkspin){ .machine = EM_S390, .data = ELFDATA2MSB });
	ck_assert(code_at(c, user_at(BASE + SPIN_MID - 0x1000), 0, 4, &bytes));
	ck_assert_str_eq(bytes.mode.arch->name, "s390x");
	ck_assert(bytes.mode.big_endian);
	end();
	begin_user((struct mkspin){ .machine = EM_X86_64, .class = ELFCLASS32 }); /* x32 */
	ck_assert(code_at(c, user_at(BASE + SPIN_MID - 0x1000), 0, 4, &bytes));
	ck_assert_str_eq(bytes.mode.arch->name, "x86_64");
	end();
}
END_TEST

/* Function n begins at SPIN_AT(n): with bit 0, it is Thumb code. */
START_TEST(code_between_functions_is_judged_by_its_looks)
{
	static const char arm[] = "\x01\x40\xa0\xe1\x02\x50\xa0\xe1\x03\x60\xa0\xe1\x04\x70\xa0\xe1";

	begin_user((struct mkspin){ .machine = EM_ARM, .class = ELFCLASS32, .bias = 1 });
	write_code(SPIN_AT(4), arm);
	write_code(SPIN_MID, arm);
	ck_assert(code_at(c, user_at(BASE + SPIN_AT(4) - 0x1000 - 1), 0, 16, &bytes));
	ck_assert(bytes.mode.alternate); /* not aligned */
	end();
	begin_user((struct mkspin){ .machine = EM_ARM, .class = ELFCLASS32 });
	write_code(SPIN_AT(4), arm);
	ck_assert(code_at(c, user_at(BASE + SPIN_AT(4) - 0x1000), 0, 16, &bytes));
	ck_assert(!bytes.mode.alternate);
	end();
}
END_TEST

static const struct spot *kernel_at(uint64_t address)
{
	static struct spot spot;

	spot = symbolizer_at(n.symbolizer, symbolizer_kernel_maps(n.symbolizer, n.machine), address, false);
	return &spot;
}

START_TEST(a_module_named_by_kallsyms_has_no_bytes)
{
	naming_begin(&n, "ffffffff9c000000 T _text\nffffffffc0000100 t modfn\t[spin]\n");
	naming_map_kernel(&n, RUN, 0x1000000, RUN, "[kernel.kallsyms]_text");
	naming_map_kernel(&n, 0xffffffffc0000000, 0x1000, 0, "/spin.ko");
	c = code_new(n.symbolizer);
	ck_assert_str_eq(kernel_at(0xffffffffc0000100)->location->name, "modfn");
	ck_assert(!code_at(c, kernel_at(0xffffffffc0000100), 0, 4, &bytes));
	ck_assert(!code_at(c, kernel_at(RUN + 4), 0, 4, &bytes));
	end();
}
END_TEST

/* A kernel linked at LINK, whose `leaf` was recorded as far behind RUN. */
static void begin_kernel(void)
{
	static char path[160];

	naming_begin(&n, NULL);
	naming_file(&n, "/spin", (struct mkspin){ .bias = LINK - 0x1000 });
	write_code(SPIN_MID, "code of mid");
	snprintf(path, sizeof(path), "%s/spin", n.root);
	kernel_free(n.kernel);
	symbolizer_free(n.symbolizer);
	n.kernel = kernel_new(&(struct kernel_options){ .sysroot = n.root, .vmlinux = path });
	n.symbolizer = symbolizer_new(n.machine, n.find, n.kernel, &(struct symbolizer_options){ 0 });
	naming_map_kernel(&n, RUN, 0x1000000, RUN + 0x100, "[kernel.kallsyms]leaf");
	c = code_new(n.symbolizer);
}

#define KERNEL_MID (RUN + SPIN_MID - 0x1000)

START_TEST(kernel_code_comes_from_the_vmlinux)
{
	begin_kernel();
	ck_assert_str_eq(kernel_at(KERNEL_MID)->location->name, "mid");
	ck_assert(code_at(c, kernel_at(KERNEL_MID), 0, 11, &bytes));
	ck_assert_mem_eq(bytes.at, "code of mid", 11);
	ck_assert(!code_at(c, kernel_at(RUN + 0x100000), 0, 11, &bytes));
	end();
}
END_TEST

START_TEST(a_guests_kernel_code_is_not_the_hosts)
{
	begin_kernel();
	struct dsos *dsos = dsos_new_guest(n.dsos);
	struct machine *guest = machine_new_guest(dsos, 500), *host = n.machine;
	struct kernel *kernel = kernel_new(&(struct kernel_options){ .sysroot = "/nowhere", .guest = true });

	symbolizer_add_machine(n.symbolizer, guest, n.find, kernel);
	n.machine = guest;
	naming_map_kernel(&n, RUN, 0x1000000, RUN + 0x100, "[kernel.kallsyms]leaf");
	ck_assert_str_eq(kernel_at(KERNEL_MID)->location->dso->name, "[guest.kernel.kallsyms.500]");
	ck_assert(!code_at(c, kernel_at(KERNEL_MID), 0, 11, &bytes));
	n.machine = host;
	ck_assert(code_at(c, kernel_at(KERNEL_MID), 0, 11, &bytes));
	symbolizer_free(n.symbolizer);
	n.symbolizer = NULL;
	kernel_free(kernel);
	machine_free(guest);
	dsos_free(dsos);
	end();
}
END_TEST

START_TEST(pokes_are_laid_over_it)
{
	begin_kernel();
	code_poke(c, kernel_at(KERNEL_MID + 5), (const uint8_t *)"at", 2);
	code_poke(c, kernel_at(KERNEL_MID + 6), (const uint8_t *)"n", 1);
	ck_assert(code_at(c, kernel_at(KERNEL_MID), 0, 11, &bytes));
	ck_assert_mem_eq(bytes.at, "code an mid", 11);
	code_poke(c, kernel_at(0x1234), (const uint8_t *)"no map", 6);
	end();
}
END_TEST

START_TEST(a_bpf_program_has_the_code_that_was_recorded)
{
	static const char name[] = "bpf_prog_0123456789abcdef_main";
	const struct disasm_mode x86 = { arch_by_name("x86_64"), false, false };
	const struct disasm_mode s390 = { arch_by_name("s390x"), true, false };
	const struct code_bytes first = { (const uint8_t *)"first", 5, x86 };
	const struct code_bytes second = { (const uint8_t *)"second", 6, s390 };
	uint64_t at = 0xffffffffc0010000;

	naming_begin(&n, NULL);
	c = code_new(n.symbolizer);
	code_add_bpf(c, at, "bpf_prog_0123456789abcdef_F", &first);
	code_add_bpf(c, at, "bpf_prog_fedcba9876543210", &second); /* it was there at another time */
	code_add_bpf(c, at + 0x100, name, &second);
	code_add_bpf(c, at + 0x200, "bpf_prog_0123456789abcde", &second);
	machine_ksymbol(n.machine, at, 5, name, false);
	machine_ksymbol(n.machine, at + 0x100, 16, name, false);
	machine_ksymbol(n.machine, at + 0x200, 16, "bpf_prog_0123456789abcde", false);
	machine_ksymbol(n.machine, at + 0x300, 16, name, false);
	machine_ksymbol(n.machine, at + 0x400, 16, "bpf_trampoline_6442468508", false);
	ck_assert(code_at(c, kernel_at(at + 1), at + 1, 3, &bytes));
	ck_assert_uint_eq(bytes.size, 3);
	ck_assert_mem_eq(bytes.at, "irs", 3);
	ck_assert_str_eq(bytes.mode.arch->name, "x86_64");
	ck_assert(code_at(c, kernel_at(at + 0x102), at + 0x102, 16, &bytes));
	ck_assert_uint_eq(bytes.size, 4);
	ck_assert_mem_eq(bytes.at, "cond", 4);
	ck_assert(bytes.mode.big_endian);
	ck_assert(!code_at(c, kernel_at(at + 0x106), at + 0x106, 16, &bytes));
	for (uint64_t other = at + 0x200; other <= at + 0x400; other += 0x100)
		ck_assert(!code_at(c, kernel_at(other), other, 16, &bytes));
	machine_ksymbol(n.machine, at, 5, name, true);
	machine_ksymbol(n.machine, at, 6, "bpf_prog_fedcba9876543210_next", false);
	ck_assert(code_at(c, kernel_at(at), at, 16, &bytes));
	ck_assert_mem_eq(bytes.at, "second", 6);
	end();
}
END_TEST

CHECK_SUITE("code", user_code_comes_from_the_file, the_file_says_how_to_read_it,
	    code_between_functions_is_judged_by_its_looks, kernel_code_comes_from_the_vmlinux,
	    a_guests_kernel_code_is_not_the_hosts, pokes_are_laid_over_it,
	    a_module_named_by_kallsyms_has_no_bytes, a_bpf_program_has_the_code_that_was_recorded)
