// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/tap.h"

#include <fcntl.h>
#include <unistd.h>

#include "checks/kernel_log.h"
#include "runner/kmsg.h"

static char path[] = "/tmp/kmsg.XXXXXX";

/* What the kernel is given to say, as /dev/kmsg gives it. */
static void append(const char *records)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	if (fd < 0 || write(fd, records, strlen(records)) < 0)
		exit(1);
	close(fd);
}

static const char *found_in(const char *message)
{
	static struct check_findings found;
	strings_t messages = { 0 }, disks = { 0 };

	check_findings_release(&found);
	strings_add(&messages, "fine so far");
	strings_add(&messages, message);
	strings_add(&disks, "sdb");
	check_kernel_log(&messages, &disks, &found);
	strings_release(&messages);
	strings_release(&disks);
	return found.list.n == 1 && found.list.items[0].id == CHECK_KERNEL_LOG ? found.list.items[0].text : NULL;
}

static void test_reading(void)
{
	strings_t lines = { 0 };
	int fd;

	append("4,1,100,-;WARNING: from before\n");
	fd = kmsg_open();
	ok(fd >= 0, "the log is opened at its end");
	kmsg_read(fd, &lines);
	is_int((long long)lines.n, 0, "what was said before is not read");
	append("6,2,200,-;sd 0:0:0:0: [sdb] fine; really\n SUBSYSTEM=scsi\n DEVICE=+scsi:0:0:0:0\n"
	       "12,3,300,-;WARNING: a program says this\n4,4,400,c;WARNING: CPU: 1 PID: 7 at block/bfq-iosched.c:42 x+0x1/0x2\n");
	kmsg_read(fd, &lines);
	is_int((long long)lines.n, 2, "messages of the kernel alone, without their keys");
	is(lines.n ? lines.items[0] : NULL, "sd 0:0:0:0: [sdb] fine; really", "the text, whole");
	kmsg_read(fd, &lines);
	is_int((long long)lines.n, 2, "each once");
	strings_release(&lines);
	close(fd);
	kmsg_read(-1, &lines);
	is_int((long long)lines.n, 0, "nothing where the log may not be read");
}

static void test_judging(void)
{
	struct check_findings found = { 0 };
	strings_t messages = { 0 }, none = { 0 };

	has(found_in("WARNING: CPU: 1 PID: 7 at block/bfq-iosched.c:42 bfq_x+0x1/0x2"), "bfq-iosched.c:42", "a WARN");
	has(found_in("INFO: task fio:123 blocked for more than 120 seconds."), "blocked for", "a hung task");
	has(found_in("WARNING: possible circular locking dependency detected"), "circular", "lockdep");
	has(found_in("[ INFO: possible recursive locking detected ]"), "recursive", "lockdep of old");
	has(found_in("BUG: KASAN: use-after-free in bfq_exit_queue"), "KASAN", "a bug");
	has(found_in("watchdog: BUG: soft lockup - CPU#1 stuck for 22s!"), "lockup", "a lockup");
	has(found_in("rcu: INFO: rcu_preempt self-detected stall on CPU"), "stall", "a stall");
	has(found_in("I/O error, dev sdb, sector 8 op 0x0:(READ)"), "sdb", "an I/O error of the disk");
	ok(!found_in("I/O error, dev sdba, sector 8 op 0x0:(READ)"), "not one of another disk");
	ok(!found_in("bfq: loaded"), "and not what is no complaint");
	strings_add(&messages, "WARNING: one");
	strings_add(&messages, "BUG: two");
	strings_add(&messages, "BUG: three");
	check_kernel_log(&messages, &none, &found);
	ok(found.list.n == 1, "one finding for all");
	is(found.list.n ? found.list.items[0].text : NULL, "'WARNING: one', and 2 more", "with the first");
	strings_release(&messages);
	check_findings_release(&found);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("IOBENCH_KMSG", path, 1);
	test_reading();
	test_judging();
	found_in("");
	unlink(path);
	return tap_done();
}
