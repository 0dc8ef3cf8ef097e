// SPDX-License-Identifier: GPL-2.0-or-later
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "runner/child.h"
#include "runner/module.h"

/* include/linux/module_signature.h: the last bytes of a file that is signed */
#define SIGNED "~Module signature appended~\n"

/* A part of the file. */
struct piece {
	const char *bytes;
	size_t len;
};

bool module_note_build_id(const char *notes, size_t len, struct str *hex)
{
	size_t at = 0;
	uint32_t head[3]; /* elf(5): bytes of the name, of the description, type; each part is padded to 4 bytes */

	while (at + sizeof(head) <= len) {
		size_t name, desc;

		memcpy(head, notes + at, sizeof(head));
		name = at + sizeof(head);
		desc = name + ((head[0] + 3ULL) & ~3ULL);
		at = desc + ((head[1] + 3ULL) & ~3ULL);
		if (desc + head[1] > len)
			return false;
		if (head[2] != NT_GNU_BUILD_ID || head[0] != 4 || memcmp(notes + name, "GNU", 4) != 0)
			continue;
		for (size_t i = 0; i < head[1]; i++)
			str_addf(hex, "%02x", (unsigned char)notes[desc + i]);
		return true;
	}
	return false;
}

/* 'count' things of 'size' bytes at 'offset' of the file; false if they are not all in it. */
static bool cut(struct piece file, uint64_t offset, uint64_t count, uint64_t size, struct piece *out)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || offset > file.len || bytes > file.len - offset)
		return false;
	*out = (struct piece){ file.bytes + offset, (size_t)bytes };
	return true;
}

static bool is_native(const ElfW(Ehdr) *h)
{
	const unsigned char data = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	return h->e_ident[EI_CLASS] == class && h->e_ident[EI_DATA] == data && h->e_type == ET_REL &&
	       h->e_shentsize == sizeof(ElfW(Shdr));
}

/* The section of that name; false if there is none, or if it is not in the file. */
static bool find_section(struct piece file, const ElfW(Ehdr) *h, const char *name, struct piece *out)
{
	ElfW(Shdr) s, of_names;
	struct piece table, names;

	if (!cut(file, h->e_shoff, h->e_shnum, sizeof(s), &table) || h->e_shstrndx >= h->e_shnum)
		return false;
	memcpy(&of_names, table.bytes + h->e_shstrndx * sizeof(s), sizeof(of_names));
	if (!cut(file, of_names.sh_offset, of_names.sh_size, 1, &names))
		return false;
	for (size_t i = 0; i < h->e_shnum; i++) {
		memcpy(&s, table.bytes + i * sizeof(s), sizeof(s));
		if (s.sh_type != SHT_NOBITS && s.sh_name < names.len && names.len - s.sh_name > strlen(name) &&
		    !memcmp(names.bytes + s.sh_name, name, strlen(name) + 1))
			return cut(file, s.sh_offset, s.sh_size, 1, out);
	}
	return false;
}

/* The value of "KEY=VALUE", one of many strings that each end in a NUL; the caller frees. */
static char *info(struct piece modinfo, const char *key)
{
	size_t len = strlen(key);

	for (size_t at = 0; at < modinfo.len;) {
		const char *s = modinfo.bytes + at;
		size_t n = strnlen(s, modinfo.len - at);

		if (n > len && !memcmp(s, key, len) && s[len] == '=')
			return mem_strndup(s + len + 1, n - len - 1);
		at += n + 1;
	}
	return NULL;
}

int module_file_parse(const char *path, const char *bytes, size_t len, struct module_file *out, struct err *err)
{
	const struct piece file = { bytes, len };
	struct piece modinfo, notes;
	struct str build_id = { 0 };
	ElfW(Ehdr) h;

	*out = (struct module_file){ 0 };
	if (len < sizeof(h) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_USAGE, "'%s' is no kernel module: it is not an ELF file", path);
	memcpy(&h, bytes, sizeof(h));
	if (!is_native(&h))
		return err_set(err, ERR_USAGE, "'%s' is no kernel module of this kind of machine", path);
	if (!find_section(file, &h, ".modinfo", &modinfo))
		return err_set(err, ERR_USAGE, "'%s' is no kernel module: it has no section .modinfo, or was cut off", path);
	if (find_section(file, &h, ".note.gnu.build-id", &notes))
		module_note_build_id(notes.bytes, notes.len, &build_id);
	out->path = mem_strdup(path);
	out->name = info(modinfo, "name");
	out->vermagic = info(modinfo, "vermagic");
	out->srcversion = info(modinfo, "srcversion");
	out->build_id = build_id.len ? str_steal(&build_id) : NULL;
	out->is_signed = len > strlen(SIGNED) && !memcmp(bytes + len - strlen(SIGNED), SIGNED, strlen(SIGNED));
	str_release(&build_id);
	return 0;
}

static int unpack(const char *path, struct str *bytes, struct err *err)
{
	static const struct {
		const char *suffix, *program;
	} packers[] = { { ".gz", "gzip" }, { ".xz", "xz" }, { ".zst", "zstd" } };
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		const char *argv[] = { packers[i].program, "-dc", path, NULL };
		size_t n = strlen(packers[i].suffix);

		if (len > n && !strcmp(path + len - n, packers[i].suffix))
			return child_capture(argv, bytes, err) ? err_context(err, "cannot read '%s'", path) : 0;
	}
	return file_slurp(path, bytes, err);
}

int module_file_read(const char *path, struct module_file *out, struct err *err)
{
	AUTOSTR struct str bytes = { 0 };

	*out = (struct module_file){ 0 };
	if (!unpack(path, &bytes, err))
		return module_file_parse(path, str_text(&bytes), bytes.len, out, err);
	if (err)
		err->kind = ERR_USAGE;
	return -1;
}

void module_file_release(struct module_file *f)
{
	free(f->path);
	free(f->name);
	free(f->vermagic);
	free(f->srcversion);
	free(f->build_id);
}

void module_files_release(module_files_t *files)
{
	for (size_t i = 0; i < files->n; i++)
		module_file_release(&files->items[i]);
	vec_free(files);
}
