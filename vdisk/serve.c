// SPDX-License-Identifier: GPL-2.0-or-later
#define FUSE_USE_VERSION 312
#include "vdisk/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/units.h"
#include "vdisk/backing.h"
#include "vdisk/drive.h"

/* The loop driver has 128 tags, and a request may come as two. */
#define BACKGROUND 256
#define FOREVER_S 1e9

enum inode { INODE_ROOT = FUSE_ROOT_ID, INODE_DISK, INODE_DESCRIPTION, INODE_STATUS, INODE_FAULT, INODE_END };

static const struct {
	const char *name;
	mode_t mode;
} files[INODE_END] = {
	[INODE_ROOT] = { ".", S_IFDIR | 0755 },		   [INODE_DISK] = { "simulated-disk", S_IFREG | 0600 },
	[INODE_DESCRIPTION] = { "description", S_IFREG | 0444 }, [INODE_STATUS] = { "status", S_IFREG | 0444 },
	[INODE_FAULT] = { "fault", S_IFREG | 0200 },
};

static struct {
	struct drive drive;
	struct backing backing;
	struct str description;
	bool discard;
	int64_t started_ns;
} server;

/* A command and what FUSE waits for. */
struct request {
	struct io io;
	fuse_req_t req;
	size_t len;
	char data[]; /* of a read */
};

static void reply(struct io *io)
{
	struct request *r = (struct request *)io;

	if (io->errnum || io->command.kind == COMMAND_FLUSH)
		fuse_reply_err(r->req, io->errnum);
	else if (io->command.kind == COMMAND_READ)
		fuse_reply_buf(r->req, r->data, r->len);
	else
		fuse_reply_write(r->req, r->len);
	free(r);
}

static struct request *request_new(fuse_req_t req, enum command_kind kind, size_t len, uint64_t offset)
{
	struct request *r = mem_alloc(1, sizeof(*r) + (kind == COMMAND_READ ? len : 0));

	r->req = req;
	r->len = len;
	r->io.done = reply;
	r->io.command.kind = kind;
	r->io.command.lba = offset / SECTOR_BYTES;
	r->io.command.sectors = (offset + len + SECTOR_BYTES - 1) / SECTOR_BYTES - r->io.command.lba;
	return r;
}

/* 'errnum' is what moving the data came to; the drive then takes the time that the command takes. */
static void submit(struct request *r, int errnum)
{
	if (errnum) {
		r->io.errnum = errnum;
		reply(&r->io);
	} else {
		drive_submit(&server.drive, &r->io);
	}
}

static void fill_stat(fuse_ino_t ino, struct stat *st)
{
	*st = (struct stat){ .st_ino = ino, .st_mode = files[ino].mode, .st_nlink = 1, .st_blksize = 4096 };
	if (ino == INODE_DISK)
		st->st_size = (off_t)server.backing.bytes;
}

static void op_init(void *arg, struct fuse_conn_info *conn)
{
	(void)arg;
	conn->max_background = BACKGROUND;
	conn->congestion_threshold = BACKGROUND;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = FOREVER_S, .entry_timeout = FOREVER_S };

	for (fuse_ino_t i = INODE_DISK; parent == INODE_ROOT && i < INODE_END; i++)
		if (!strcmp(files[i].name, name)) {
			e.ino = i;
			fill_stat(i, &e.attr);
			fuse_reply_entry(req, &e);
			return;
		}
	fuse_reply_err(req, ENOENT);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_stat(ino, &st);
	fuse_reply_attr(req, &st, FOREVER_S);
}

/* A shell's "> fault" wants to truncate; the disk has the size that it has. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	(void)attr;
	if (ino == INODE_DISK || to_set & ~(FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_CTIME))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	/* past the page cache: the size of 'status' is not known, and every access of the disk is to reach it */
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	AUTOFREE char *buf = mem_alloc(size, 1);
	size_t used = 0;

	(void)ino;
	(void)fi;
	for (off_t i = offset ? offset : INODE_ROOT; i < INODE_END; i++) {
		struct stat st;
		size_t len;

		fill_stat((fuse_ino_t)i, &st);
		len = fuse_add_direntry(req, buf + used, size - used, files[i].name, &st, i + 1);
		if (len > size - used)
			break;
		used += len;
	}
	fuse_reply_buf(req, buf, used);
}

static void print_status(struct str *out)
{
	struct rusage use;
	int64_t age_ns = now_monotonic_ns() - server.started_ns;

	getrusage(RUSAGE_SELF, &use);
	str_addf(out, "pid %ld\nbacking %s\nseconds %.1f\ncpu_seconds %.2f\n", (long)getpid(), server.backing.text,
		 (double)age_ns / 1e9,
		 (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
	drive_print(&server.drive, out);
}

static void read_text(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset)
{
	AUTOSTR struct str text = { 0 };
	size_t from;

	if (ino == INODE_DESCRIPTION)
		str_add(&text, str_text(&server.description));
	else
		print_status(&text);
	from = (size_t)offset < text.len ? (size_t)offset : text.len;
	fuse_reply_buf(req, str_text(&text) + from, text.len - from < size ? text.len - from : size);
}

/*
 * Data moves when a command comes and not when it is done: the threads of FUSE do it at the same time, and the
 * drive's own thread has nothing to do but to keep time. The kernel orders no two commands that are under way
 * together.
 */
static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	uint64_t left = (uint64_t)offset < server.backing.bytes ? server.backing.bytes - (uint64_t)offset : 0;
	struct request *r;

	(void)fi;
	if (ino != INODE_DISK) {
		read_text(req, ino, size, offset);
		return;
	}
	if (!left || !size) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	r = request_new(req, COMMAND_READ, size < left ? size : (size_t)left, (uint64_t)offset);
	submit(r, drive_judge(&server.drive, &r->io)
			  ? backing_read(&server.backing, r->data, r->len, (uint64_t)offset)
			  : EIO);
}

static void write_fault(fuse_req_t req, const char *buf, size_t size)
{
	AUTOFREE char *text = mem_strndup(buf, size);

	if (drive_fault(&server.drive, str_trim(text), NULL))
		fuse_reply_err(req, EINVAL);
	else
		fuse_reply_write(req, size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset,
		     struct fuse_file_info *fi)
{
	struct request *r;

	(void)fi;
	if (ino == INODE_FAULT) {
		write_fault(req, buf, size);
		return;
	}
	if (!size || (uint64_t)offset + size > server.backing.bytes) {
		fuse_reply_err(req, size ? ENOSPC : EINVAL);
		return;
	}
	r = request_new(req, COMMAND_WRITE, size, (uint64_t)offset);
	submit(r, drive_judge(&server.drive, &r->io)
			  ? backing_write(&server.backing, buf, size, (uint64_t)offset)
			  : EIO);
}

static void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct request *r;

	(void)datasync;
	(void)fi;
	if (ino != INODE_DISK) {
		fuse_reply_err(req, 0);
		return;
	}
	r = request_new(req, COMMAND_FLUSH, 0, 0);
	submit(r, drive_judge(&server.drive, &r->io) ? 0 : EIO);
}

/* Of a discard the drive only takes note: it costs no time here. */
static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t len, struct fuse_file_info *fi)
{
	(void)fi;
	if (ino != INODE_DISK || !server.discard || mode != (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE))
		fuse_reply_err(req, EOPNOTSUPP);
	else
		fuse_reply_err(req, backing_discard(&server.backing, (uint64_t)len, (uint64_t)offset));
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.fsync = op_fsync,
	.readdir = op_readdir,
	.fallocate = op_fallocate,
};

static int loop(struct fuse_session *se, const struct serve_options *opt, struct err *err)
{
	struct fuse_loop_config *config;
	int bad;

	if (fuse_set_signal_handlers(se))
		return err_set(err, ERR_FAULT, "cannot catch signals");
	if (fuse_session_mount(se, opt->mountpoint)) {
		fuse_remove_signal_handlers(se);
		return err_set(err, ERR_NEEDS,
			       "cannot mount a FUSE file system on '%s' (is there a /dev/fuse? are you root?)",
			       opt->mountpoint);
	}
	opt->ready();
	config = fuse_loop_cfg_create();
	bad = fuse_session_loop_mt(se, config);
	fuse_loop_cfg_destroy(config);
	fuse_session_unmount(se);
	fuse_remove_signal_handlers(se);
	/* a signal that ends us is no fault */
	return bad < 0 ? err_sys(err, ERR_FAULT, -bad, "FUSE failed") : 0;
}

int serve_run(const struct profile *p, const struct serve_options *opt, struct err *err)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se;
	int bad;

	server.discard = opt->discard;
	server.started_ns = now_monotonic_ns();
	str_addf(&server.description, "profile=%s iobench-vdisk=%s bytes=%" PRIu64 " ", p->name, IOBENCH_VERSION,
		 opt->bytes);
	profile_print(p, &server.description);
	str_add(&server.description, "\n");
	/* a disk's writes must not wait for dirty pages that only this disk could write: prctl(2) */
	prctl(PR_SET_IO_FLUSHER, 1UL, 0UL, 0UL, 0UL);
	/* what keeps time must run at once, for microseconds. Threads inherit it; refused, 'status' says so */
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
	if (backing_open(&server.backing, opt->backing, opt->bytes, err))
		return -1;
	if (drive_start(&server.drive, p, opt->bytes, err)) {
		backing_close(&server.backing);
		return -1;
	}
	if (fuse_opt_add_arg(&args, "iobench-vdisk") ||
	    fuse_opt_add_arg(&args, "-ofsname=iobench-vdisk,subtype=iobench-vdisk"))
		abort(); /* no memory: as in common/mem.h */
	se = fuse_session_new(&args, &ops, sizeof(ops), NULL);
	bad = se ? loop(se, opt, err) : err_set(err, ERR_FAULT, "cannot make a FUSE session");
	drive_stop(&server.drive);
	if (se)
		fuse_session_destroy(se);
	backing_close(&server.backing);
	str_release(&server.description);
	fuse_opt_free_args(&args);
	return bad;
}
