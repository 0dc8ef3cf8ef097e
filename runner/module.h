/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNNER_MODULE_H
#define RUNNER_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"

/*
 * Kernel modules of schedulers: what is in a file, which one is loaded, and putting another in its place. A build is
 * told from any other by its GNU build-id, a note that the linker puts into the file and that the kernel shows of what
 * is loaded. Loading is done by insmod, rmmod and modprobe (kmod), which are looked up in PATH and in /sbin.
 *
 * Names are those of /sys/module: "kyber_iosched".
 */

#define BUILD_ID_TEXT 129 /* as hexadecimal digits, with the NUL; they are 20 bytes, and nobody makes more than 64 */

/* What a module's file says of itself. Strings are NULL where it does not say it. */
struct module_file {
	char *path;
	char *name, *vermagic, *srcversion; /* of its .modinfo; a name since Linux 4.13 or so, a srcversion if configured */
	char *build_id;
	bool is_signed;
};
typedef VEC(struct module_file) module_files_t;

/*
 * Read a module's file; one that ends in .gz, .xz or .zst is unpacked by the program of that name. ERR_USAGE for one
 * that cannot be read or is no module of this kind of machine.
 */
int module_file_read(const char *path, struct module_file *out, struct err *err);

/* The same of bytes in memory, named 'path' in messages. Never reads outside them, whatever they say. */
int module_file_parse(const char *path, const char *bytes, size_t len, struct module_file *out, struct err *err);
void module_file_release(struct module_file *f);
void module_files_release(module_files_t *files);

/* The GNU build-id in a block of ELF notes, appended as hexadecimal digits; false if there is none. */
bool module_note_build_id(const char *notes, size_t len, struct str *hex);

/* A scheduler's module by its name in /sys/module; false if it never is one. */
bool module_of_scheduler(const char *scheduler, char out[64]);

/* Is it the module of a scheduler that we know? No other is ever loaded or unloaded, whatever a journal says. */
bool module_is_schedulers(const char *name);

/* The build-id of what is loaded; "" if nothing is, or if it has none. */
void module_build_id(const char *name, char out[BUILD_ID_TEXT]);

/* Is it loaded (not built in)? */
bool module_is_loaded(const char *name);

/* ERR_NEEDS if this file cannot be loaded as 'name' by the kernel that runs, ERR_USAGE if it is another module. */
int module_check_file(const struct module_file *f, const char *name, struct err *err);

/*
 * ERR_NEEDS if the module cannot be exchanged on this machine, and put back: built in, in use by a disk that is not
 * among 'disks' (names), not the one that modprobe would load, no right to load modules.
 */
int module_check_machine(const char *name, const char *const *disks, size_t n, struct err *err);

/* What a variant runs on: a file, or with 'file' NULL the system's own, which is none of 'files'. Is it loaded now? */
bool module_is_in_place(const char *name, const struct module_file *file, const module_files_t *files);

/*
 * Load it in the place of what is loaded. No disk may use the module. ERR_FAULT if what is loaded then is not the file
 * that was read: its build-id says so.
 */
int module_put_in_place(const char *name, const struct module_file *file, const module_files_t *files, struct err *err);

/*
 * Put back the module of the build-id, or with "" none: the one that modprobe finds. Waits for one that is just being
 * loaded or unloaded. No disk may use the module.
 */
bool module_is_back(const char *name, const char *build_id);
int module_put_back(const char *name, const char *build_id, struct err *err);

#endif
