// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <link.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/file.h"
#include "common/random.h"
#include "runner/module.h"

static char root[] = "/tmp/iobench-module.XXXXXX";
static struct module_file file;
static struct err err;

/* ---- a module made by hand: header, sections, the table of sections ---- */

#define ID "0123456789abcdef0123456789abcdef01234567"
static const char names[] = "\0.modinfo\0.note.gnu.build-id\0.shstrtab\0.bss";
static const char modinfo[] = "license=GPL\0name=bfq\0vermagic=6.1.0-57-amd64 SMP preempt mod_unload modversions \0"
			      "depends=\0srcversion=ABCDEF0123\0rename=no\0=";
static const char notes[] = "\4\0\0\0\3\0\0\0\1\0\0\0ABC\0xyz\0" /* not ours: NT_VERSION or so of somebody else */
			    "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"
			    "\x01\x23\x45\x67";

enum { MODINFO = 1, NOTES, NAMES, BSS, SECTIONS };
struct image {
	ElfW(Ehdr) head;
	char modinfo[sizeof(modinfo)], notes[sizeof(notes) - 1], names[sizeof(names)];
	ElfW(Shdr) sections[SECTIONS];
};
static struct image image;

static void make_image(void)
{
	image = (struct image){
		.head = { .e_type = ET_REL, .e_shoff = offsetof(struct image, sections), .e_shentsize = sizeof(ElfW(Shdr)),
			  .e_shnum = SECTIONS, .e_shstrndx = NAMES },
		.sections = { [MODINFO] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = offsetof(struct image, modinfo),
					    .sh_size = sizeof(modinfo) },
			      [NOTES] = { .sh_name = 10, .sh_type = SHT_NOTE, .sh_offset = offsetof(struct image, notes),
					  .sh_size = sizeof(notes) - 1 },
			      [NAMES] = { .sh_name = 29, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
					  .sh_size = sizeof(names) },
			      [BSS] = { .sh_name = 39, .sh_type = SHT_NOBITS, .sh_size = 1 << 20 } },
	};
	memcpy(image.head.e_ident, ELFMAG, SELFMAG);
	image.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	image.head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	memcpy(image.modinfo, modinfo, sizeof(modinfo));
	memcpy(image.notes, notes, sizeof(notes) - 1);
	memcpy(image.names, names, sizeof(names));
}

/* From memory of just that size, so that a sanitizer sees a step outside. */
static int parse_bytes(const void *bytes, size_t len)
{
	AUTOFREE char *own = mem_alloc(len, 1);

	memcpy(own, bytes, len);
	module_file_release(&file);
	err = (struct err){ 0 };
	return module_file_parse("x.ko", own, len, &file, &err);
}

static int parse(void)
{
	return parse_bytes(&image, sizeof(image));
}

static void test_good(void)
{
	make_image();
	is_int(parse(), 0, "a module is read");
	is(file.path, "x.ko", "its path");
	is(file.name, "bfq", "its name");
	is(file.vermagic, "6.1.0-57-amd64 SMP preempt mod_unload modversions ", "the kernel that it is for");
	is(file.srcversion, "ABCDEF0123", "its srcversion");
	is(file.build_id, ID, "its build-id, behind a note of others");
	ok(!file.is_signed, "it is not signed");
}

static void test_lacking(void)
{
	AUTOSTR struct str is_signed = { 0 };

	make_image();
	image.sections[NOTES].sh_name = 39;
	is_int(parse(), 0, "one without a note");
	is(file.build_id, NULL, "has no build-id");
	make_image();
	image.sections[NOTES].sh_size -= 1;
	is_int(parse(), 0, "one whose note is cut");
	is(file.build_id, NULL, "has none");
	make_image();
	memset(image.modinfo + 12, 'x', 8); /* name=bfq */
	is_int(parse(), 0, "one of an old kernel");
	is(file.name, NULL, "says no name, and 'rename' is none");
	make_image();
	image.sections[MODINFO].sh_size = 12 + 8; /* ends in "name=bfq" without a NUL */
	is_int(parse(), 0, "the last string without its end");
	is(file.name, "bfq", "is read as far as it goes");
	make_image();
	str_addn(&is_signed, (const char *)&image, sizeof(image));
	str_add(&is_signed, "~Module signature appended~\n");
	is_int(parse_bytes(is_signed.s, is_signed.len), 0, "one that is signed");
	ok(file.is_signed, "is seen to be");
}

static void refused(const char *why, const char *what)
{
	int bad = parse();

	ok(bad == -1 && err.kind == ERR_USAGE && strstr(err.msg, why), "%s is refused", what);
	if (!strstr(err.msg, why))
		printf("# %s\n", err.msg);
}

static void test_wrong(void)
{
	is_int(parse_bytes("", 0), -1, "an empty file is refused");
	make_image();
	image.head.e_ident[1] = 'X';
	refused("not an ELF file", "what is not ELF");
	make_image();
	image.head.e_ident[EI_CLASS] ^= 3;
	refused("this kind of machine", "one of the other word size");
	make_image();
	image.head.e_ident[EI_DATA] ^= 3;
	refused("this kind of machine", "one of the other byte order");
	make_image();
	image.head.e_type = ET_EXEC;
	refused("this kind of machine", "a program");
	make_image();
	image.head.e_shentsize = 1;
	refused("this kind of machine", "a table of something else");
	make_image();
	image.sections[MODINFO].sh_name = 39;
	refused("no section .modinfo", "an object file that is no module");
	make_image();
	image.sections[MODINFO].sh_type = SHT_NOBITS;
	refused("no section .modinfo", "a .modinfo that is not in the file");
	make_image();
	image.head.e_shstrndx = SECTIONS;
	refused("no section .modinfo", "names in a section that is not there");
	make_image();
	image.head.e_shoff = (ElfW(Off))-8;
	refused("no section .modinfo", "a table at the end of the world");
	make_image();
	image.sections[MODINFO].sh_offset = (ElfW(Off))-8;
	refused("no section .modinfo", "a .modinfo there");
	make_image();
	image.sections[NAMES].sh_size = (ElfW(Off))-8;
	refused("no section .modinfo", "names without an end");
}

/* Cut anywhere, and with any bytes wrong: refused or read, never a step outside (SAN=1 sees that). */
static void test_broken(void)
{
	size_t read = 0;
	uint64_t state = 7;

	make_image();
	for (size_t len = 0; len < sizeof(image); len++)
		read += !parse_bytes(&image, len);
	is_int((long long)read, 0, "cut after any byte it is refused: the table of sections is at the end");
	for (int i = 0; i < 20000; i++) {
		char bytes[sizeof(image)];

		make_image();
		memcpy(bytes, &image, sizeof(image));
		for (int k = 0; k < 1 + i % 4; k++)
			bytes[random_below(&state, sizeof(bytes))] = (char)random_next(&state);
		read += !parse_bytes(bytes, sizeof(bytes));
	}
	ok(read > 1000 && read < 19999, "broken ones are read or refused (%zu are read)", read);
}

/* ---- files ---- */

static void test_files(void)
{
	AUTOFREE char *path = mem_printf("%s/x.ko", root), *packed = mem_printf("%s.gz", path);
	AUTOFREE char *pack = mem_printf("gzip -k %s", path), *text = mem_printf("%s/text.ko.gz", root);

	make_image();
	file_replace(path, &image, sizeof(image), &err);
	module_file_release(&file);
	is_int(module_file_read(path, &file, &err), 0, "a file");
	is(file.build_id, ID, "is read");
	if (!system(pack)) { // NOLINT(cert-env33-c)
		module_file_release(&file);
		is_int(module_file_read(packed, &file, &err), 0, "one that is packed");
		is(file.build_id, ID, "is unpacked");
		is(file.path, packed, "and keeps its path");
	}
	file_replace(text, "hello", 5, &err);
	module_file_release(&file);
	is_int(module_file_read(text, &file, &err), -1, "one that is called packed and is not");
	ok(err.kind == ERR_USAGE && strstr(err.msg, "text.ko.gz"), "is refused by its name");
	is_int(module_file_read("/nonexistent/x.ko", &file, &err), -1, "one that is not there");
	is_int(err.kind, ERR_USAGE, "is typed wrong");
	unlink(path);
	unlink(packed);
	unlink(text);
}

/* ---- what this kernel would take ---- */

static void put(const char *name, const char *text)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, name);

	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		mkdir(path, 0755);
	}
	if (file_replace(path, text, strlen(text), &err))
		printf("Bail out! %s\n", err.msg);
}

static void check(enum err_kind kind, const char *why, const char *what)
{
	int bad;

	err = (struct err){ 0 };
	bad = module_check_file(&file, "bfq", &err);
	ok(!!bad == !!kind && err.kind == kind && strstr(err.msg, why), "%s", what);
	if (err.kind != kind || !strstr(err.msg, why))
		printf("# %d: %s\n", (int)err.kind, err.msg);
}

static void test_check(void)
{
	struct utsname u;
	AUTOFREE char *vermagic = uname(&u) ? NULL : mem_printf("%s SMP", u.release);

	make_image();
	parse();
	check(ERR_NEEDS, "was built for kernel 6.1.0-57-amd64, this is", "of another kernel: refused");
	free(file.vermagic);
	file.vermagic = mem_strndup(vermagic, strlen(vermagic) - strlen(" SMP") - 1);
	check(ERR_NEEDS, "was built for kernel", "of a kernel whose name begins like this one's: refused");
	free(file.vermagic);
	file.vermagic = mem_strdup(vermagic);
	check(ERR_NONE, "", "of this kernel: good");
	put("module/module/parameters/sig_enforce", "Y\n");
	check(ERR_NEEDS, "sig_enforce", "not signed, under a kernel that wants it: refused");
	file.is_signed = true;
	check(ERR_NONE, "", "signed: good as far as we know");
	file.is_signed = false;
	put("module/module/parameters/sig_enforce", "N\n");
	put("kernel/security/lockdown", "none [integrity] confidentiality\n");
	check(ERR_NEEDS, "locked down", "not signed, under lockdown: refused");
	put("kernel/security/lockdown", "[none] integrity confidentiality\n");
	check(ERR_NONE, "", "without lockdown: good");
	free(file.build_id);
	file.build_id = NULL;
	check(ERR_NEEDS, "no build-id", "without a build-id: refused");
	free(file.vermagic);
	file.vermagic = NULL;
	check(ERR_USAGE, "no vermagic", "without a vermagic: refused");
	free(file.name);
	file.name = mem_strdup("kyber_iosched");
	check(ERR_USAGE, "is the module 'kyber_iosched', not 'bfq'", "another module: refused");
}

static void test_names(void)
{
	char name[64];

	ok(module_of_scheduler("bfq", name) && !strcmp(name, "bfq"), "the module of bfq");
	ok(module_of_scheduler("kyber", name) && !strcmp(name, "kyber_iosched"), "that of kyber, as sysfs has it");
	ok(!module_of_scheduler("none", name) && !module_of_scheduler("current", name), "none has none");
	ok(module_is_schedulers("kyber_iosched") && module_is_schedulers("bfq"), "modules of schedulers");
	ok(!module_is_schedulers("kyber") && !module_is_schedulers("ext4") && !module_is_schedulers(""), "and others");
}

static void machine(enum err_kind kind, const char *why, const char *what)
{
	const char *const ours[] = { "sda" };
	int bad;

	err = (struct err){ 0 };
	bad = module_check_machine("bfq", ours, 1, &err);
	ok(!!bad == !!kind && err.kind == kind && strstr(err.msg, why), "%s", what);
	if (err.kind != kind || !strstr(err.msg, why))
		printf("# %d: %s\n", (int)err.kind, err.msg);
}

static void test_machine(void)
{
	put("block/sda/queue/scheduler", "[none] mq-deadline\n");
	put("block/sdb/queue/scheduler", "none [mq-deadline]\n");
	machine(ERR_NONE, "", "nothing is loaded: good");
	put("block/sda/queue/scheduler", "none [bfq]\n");
	machine(ERR_NEEDS, "built into this kernel", "selected, and no module: built in");
	put("module/bfq/initstate", "live\n");
	put("module/bfq/refcnt", "2\n");
	machine(ERR_NEEDS, "has 2 users, and only 1", "somebody holds it who is no disk: refused");
	put("module/bfq/refcnt", "1\n");
	machine(ERR_NEEDS, "has no build-id", "one that could not be told from another: refused");
	put("block/sdb/queue/scheduler", "none [bfq]\n");
	machine(ERR_NEEDS, "disk 'sdb' uses the module", "another disk uses it: refused");
	put("module/bfq/initstate", "");
	put("block/sda/queue/scheduler", "none\n");
	put("block/sdb/queue/scheduler", "none\n");
}

static void test_loaded(void)
{
	char id[BUILD_ID_TEXT];
	const module_files_t none = { 0 };

	ok(!module_is_loaded("bfq") && module_is_back("bfq", ""), "nothing is loaded");
	put("module/bfq/parameters/x", "1");
	ok(!module_is_loaded("bfq"), "what is built in is not a module that is loaded");
	put("module/bfq/initstate", "live\n");
	AUTOFREE char *path = mem_printf("%s/module/bfq/notes/.note.gnu.build-id", root);
	ok(module_is_loaded("bfq") && !module_is_back("bfq", ""), "one without a note is loaded, and not nothing");
	put("module/bfq/notes/.note.gnu.build-id", "x");
	file_replace(path, notes, sizeof(notes) - 1, &err);
	module_build_id("bfq", id);
	is(id, ID, "its build-id");
	ok(module_is_back("bfq", ID), "it is that one");
	make_image();
	parse();
	ok(module_is_in_place("bfq", &file, &none) && module_is_in_place("bfq", NULL, &none), "it is in place");
	ok(!module_is_in_place("bfq", NULL, &(module_files_t){ .items = &file, .n = 1 }), "but not the system's own, if ours");
	file.build_id[0] = 'f';
	ok(!module_is_in_place("bfq", &file, &none), "another is not in place");
}

/* module.t FILE: what is read from it, for tests/check-module.sh. */
static int print_file(const char *path)
{
	if (module_file_read(path, &file, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	printf("name: %s\nvermagic: %s\nsrcversion: %s\nbuild-id: %s\n", file.name, file.vermagic,
	       file.srcversion ? file.srcversion : "", file.build_id);
	module_file_release(&file);
	return 0;
}

int main(int argc, char **argv)
{
	AUTOFREE char *clean = NULL;

	if (argc > 1)
		return print_file(argv[1]);
	if (!mkdtemp(root))
		return 1;
	setenv("IOBENCH_SYSFS", root, 1);
	test_good();
	test_lacking();
	test_wrong();
	test_broken();
	test_files();
	test_names();
	test_check();
	test_machine();
	test_loaded();
	module_file_release(&file);
	clean = mem_printf("rm -r %s", root);
	return system(clean) || tap_done(); // NOLINT(cert-env33-c)
}
