// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "runner/settings.h"

static int run(const struct options *opt, struct err *err)
{
	struct restore_report report = { 0 };
	int bad;

	(void)opt;
	if (geteuid())
		return err_set(err, ERR_NEEDS, "settings can only be put back by root");
	bad = settings_replay(&report, err);
	fputs(str_text(&report.text), stdout);
	if (!report.text.len && !bad)
		puts("nothing to put back: no sweep has died since the last boot");
	str_release(&report.text);
	if (report.failed)
		return err_set(err, ERR_RESTORE, "settings could not all be put back: see above");
	return bad;
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "put back the settings that a dead sweep left changed",
	.about = "Settings are put back by the sweep itself, and by its guard process when the sweep dies. This is for the "
		 "rest: both killed at once. A reboot resets the settings of disks too.",
	.groups = { NULL },
	.run = run,
};
