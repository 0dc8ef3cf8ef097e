// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/kernel_log.h"

#include <string.h>

/*
 * How the kernel begins them: kernel/panic.c (WARN), lib/bug.c, kernel/hung_task.c, kernel/watchdog.c, kernel/rcu,
 * kernel/locking/lockdep.c (WARNING:, before 4.11 "INFO: possible …"), mm/kasan (BUG:), lib/ubsan.c, the fault handlers of arch/.
 */
static const char *const complaints[] = {
	"WARNING:", "BUG:", "kernel BUG at", "Oops", "general protection fault", "UBSAN:", "INFO: task ", "INFO: rcu",
	"INFO: possible ", "INFO: inconsistent ", "detected stall", "soft lockup", "hard LOCKUP", "Unable to handle kernel",
};

static bool is_complaint(const char *message, const strings_t *disks)
{
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++)
		if (strstr(message, complaints[i]))
			return true;
	for (size_t i = 0; i < disks->n; i++) {
		AUTOFREE char *error = mem_printf("I/O error, dev %s,", disks->items[i]); /* block/blk-mq.c */

		if (strstr(message, error))
			return true;
	}
	return false;
}

void check_kernel_log(const strings_t *messages, const strings_t *disks, struct check_findings *out)
{
	const char *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < messages->n; i++) {
		if (!is_complaint(messages->items[i], disks))
			continue;
		if (first)
			more++;
		else
			first = messages->items[i];
	}
	if (first && more)
		check_add(out, CHECK_KERNEL_LOG, "'%.200s', and %zu more", first, more);
	else if (first)
		check_add(out, CHECK_KERNEL_LOG, "'%.200s'", first);
}
