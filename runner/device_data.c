// SPDX-License-Identifier: GPL-2.0-or-later
#include <blkid.h>
#include <errno.h>
#include <string.h>

#include "runner/blockdev.h"
#include "runner/device.h"

static const char *article(const char *word)
{
	return strchr("aefhiLox", word[0]) ? "an" : "a"; /* an f2fs, an LVM2_member, an xfs */
}

/* What libblkid's USAGE is called behind the type. */
static const struct {
	const char *usage, *noun;
} nouns[] = {
	{ "filesystem", " file system" },
	{ "crypto", " volume" },
	{ "other", " area" }, /* swap, bcache */
	{ "raid", "" },	      /* the types are LVM2_member, zfs_member, … */
};

static const char *noun_of(const char *usage)
{
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++)
		if (!strcmp(nouns[i].usage, usage))
			return nouns[i].noun;
	return "";
}

/* One finding of libblkid in words; the caller frees; NULL if it only goes with another one. */
static char *finding(blkid_probe probe)
{
	const char *table = NULL, *type = NULL, *usage = "", *label = "";

	if (!blkid_probe_lookup_value(probe, "PTTYPE", &table, NULL))
		/* The protective MBR in front of a GPT. */
		return strcmp(table, "PMBR") ? mem_printf("%s %s partition table", article(table), table) : NULL;
	if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL))
		return mem_strdup("something that libblkid cannot name");
	blkid_probe_lookup_value(probe, "USAGE", &usage, NULL);
	blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
	return mem_printf(*label ? "%s %s%s (label '%s')" : "%s %s%s", article(type), type, noun_of(usage), label);
}

/*
 * As wipefs does it: every signature counts, also one with a wrong checksum, the second copy of a GPT, and several
 * that contradict each other.
 */
static int probe_all(blkid_probe probe, strings_t *found)
{
	int ret;

	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
							 BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	while (!(ret = blkid_do_probe(probe))) {
		AUTOFREE char *text = finding(probe);

		if (text && !strings_has(found, text))
			strings_add(found, text);
	}
	return ret;
}

/* A partition in the kernel's memory outlives its entry on the disk. */
static int known_partitions(const struct target *t, strings_t *found, struct err *err)
{
	strings_t AUTOSTRINGS partitions = { 0 };

	if (blockdev_partitions(t->chain.items[0], &partitions, err))
		return -1;
	for (size_t i = 0; i < partitions.n; i++)
		*vec_push(found) = mem_printf("the partition '%s'", blockdev_name(partitions.items[i]));
	return 0;
}

int target_signature(const struct target *t, char **text, struct err *err)
{
	strings_t AUTOSTRINGS found = { 0 };
	struct str all = { 0 };
	blkid_probe probe;

	*text = NULL;
	errno = 0;
	probe = blkid_new_probe_from_filename(t->node);
	if (!probe)
		return err_sys(err, ERR_NEEDS, errno, "cannot see what is on '%s'", t->node);
	if (probe_all(probe, &found) < 0) {
		blkid_free_probe(probe);
		return err_sys(err, ERR_NEEDS, errno, "cannot see what is on '%s'", t->node);
	}
	blkid_free_probe(probe);
	if (!found.n && known_partitions(t, &found, err))
		return -1;
	for (size_t i = 0; i < found.n; i++)
		str_addf(&all, "%s%s", i ? " and " : "", found.items[i]);
	if (found.n)
		*text = str_steal(&all);
	return 0;
}

int target_write_check(const struct target *t, const char *write_ok, struct err *err)
{
	AUTOFREE char *on_it = NULL;

	if (target_signature(t, &on_it, err))
		return -1;
	if (write_ok && *write_ok && !target_is(t, write_ok))
		return err_set(err, ERR_USAGE, "'--write-ok=%s' is not for '%s': the option names the very device",
			       write_ok, t->node);
	if (on_it && (!write_ok || !*write_ok))
		return err_set(err, ERR_USAGE, "writing would destroy what is on '%s': %s; if that may go, say "
			       "--write-ok=%s", t->node, on_it, t->node);
	if (!write_ok)
		return err_set(err, ERR_USAGE, "writing would destroy whatever is on '%s' (nothing that libblkid "
			       "knows); if that may go, say --write-ok", t->node);
	return 0;
}
