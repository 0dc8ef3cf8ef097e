// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "checks/doctor.h"
#include "cli/command.h"
#include "cli/screen.h"
#include "common/units.h"

#define INDENT 8     /* behind the status */
#define HORIZON_NS (24 * 3600 * NS_PER_S) /* a night's sweep: timers due later do not matter */

static const struct option_row options_doctor[] = {
	{ "dev", "DEVICE", "look at this device too", 'd', false, false },
	{ 0 },
};

static void print_item(const struct doctor_item *item)
{
	const struct check_code *code = &check_codes[item->id];
	AUTOFREE char *text = mem_printf("%s%s%s%s: %s", code->title, item->subject ? " (" : "",
					 item->subject ? item->subject : "", item->subject ? ")" : "", item->text);
	AUTOFREE char *status = mem_printf("%-*s", INDENT, doctor_status_text(item->status));
	AUTOFREE char *blanks = mem_printf("%*s", INDENT, "");
	size_t width = screen_width(stdout);

	print_wrapped(stdout, status, text, INDENT, width);
	if (item->status != DOCTOR_OK)
		print_wrapped(stdout, blanks, code->advice, INDENT, width);
}

static int judge(const struct target *target, struct err *err)
{
	struct doctor_facts facts;
	doctor_items_t items = { 0 };
	unsigned unmet = 0;

	doctor_facts_gather(target, false, &facts);
	check_doctor(&facts, HORIZON_NS, &items);
	for (size_t i = 0; i < items.n; i++) {
		print_item(&items.items[i]);
		unmet += items.items[i].need && items.items[i].status == DOCTOR_WARN;
	}
	doctor_items_release(&items);
	doctor_facts_release(&facts);
	return unmet ? err_set(err, ERR_NEEDS, "%u need%s not met: a sweep would refuse to start", unmet,
			       unmet == 1 ? " is" : "s are")
		     : 0;
}

static int run(const struct options *opt, struct err *err)
{
	const char *dev = option(opt, "dev");
	struct target target = { 0 };
	int bad;

	if (dev && target_open(dev, &target, err))
		return -1;
	bad = judge(dev ? &target : NULL, err);
	target_release(&target);
	return bad;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "what on this box would spoil a measurement, each with advice",
	.about = "Changes nothing. A line for each thing: 'ok', 'note' (a fact to know), 'warn' (stop it, or the "
		 "figures are "
		 "doubtful) or 'unknown'. Exit status 3 when a sweep would refuse to start.",
	.groups = { options_doctor },
	.run = run,
};
