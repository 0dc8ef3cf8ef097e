# SPDX-License-Identifier: GPL-2.0-or-later
# iobench: 'make' leaves the program as ./iobench; 'make help' lists the rest.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
UNITDIR  ?= $(PREFIX)/lib/systemd/system
DESTDIR  ?=
CC       := gcc
O        := build

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
            -Wpointer-arith -Wformat=2 -Wvla -Wundef -Wwrite-strings -Wconversion -Wno-sign-conversion
PKGS     := libcjson sqlite3 libzstd blkid mount libudev inih nettle libRmath
CPPFLAGS += -I. -D_GNU_SOURCE -DIOBENCH_VERSION='"$(VERSION)"' -DIOBENCH_DATADIR='"$(PREFIX)/share/iobench"' \
            $(shell pkg-config --cflags $(PKGS))
LDLIBS   := $(shell pkg-config --libs $(PKGS)) -lcpupower -lm

# SAN=1: the same, under AddressSanitizer and UndefinedBehaviorSanitizer, in a tree of its own.
ifdef SAN
O        := build-san
CFLAGS   := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
endif

FOLDERS  := common runner parsers checks db report vdisk cli
SOURCES  := $(wildcard $(FOLDERS:%=%/*.c))
OBJECTS  := $(SOURCES:%.c=$(O)/%.o) $(O)/db/schema.o $(O)/vdisk/profiles.o
MAINS    := $(O)/cli/main.o $(O)/vdisk/main.o
LIBRARY  := $(O)/libiobench.a
UNITS    := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/*.t.c))
PRELOADS := $(O)/tests/bench/switches.so $(O)/tests/bench/timeline.so
BENCHES  := $(filter-out $(PRELOADS:%.so=%),$(patsubst %.c,$(O)/%,$(wildcard tests/bench/*.c))) $(PRELOADS)
FAKESYS  := $(patsubst %.c,$(O)/%,$(wildcard tests/fakesys/fakesys.c))
FAKEFIO  := $(patsubst %.c,$(O)/%,$(wildcard tests/fakefio/fio.c))
PROFILES := $(sort $(wildcard vdisk/profiles/*.ini))
SCHEMA   := $(sort $(wildcard db/schema/*.sql))

# V=1 shows the commands whole, 'make -s' nothing.
Q        := $(if $(V),,@)
SAY      := @$(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),:,echo ' ')
COMPILE   = $(Q)$(CC) -std=gnu17 $(CPPFLAGS) $(CFLAGS) $(WARNINGS) -MMD -MP

ifdef SAN
all: $(O)/iobench $(O)/iobench-vdisk
else
all: iobench iobench-vdisk
iobench iobench-vdisk: %: $(O)/%
	$(Q)cp -f $< $@
endif

$(O)/iobench: $(O)/cli/main.o $(LIBRARY)
	$(SAY) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/iobench-vdisk: $(O)/vdisk/main.o $(LIBRARY)
	$(SAY) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell pkg-config --libs fuse3)

$(O)/vdisk/%.o: CPPFLAGS += $(shell pkg-config --cflags fuse3)

$(LIBRARY): $(filter-out $(MAINS),$(OBJECTS))
	$(SAY) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(COMPILE) -c -o $@ $<

# The numbered migrations, as an array of strings inside the program; and the script of merge.
SQL_TEXT := sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/'
$(O)/db/schema.c: $(SCHEMA) db/merge.sql Makefile
	@mkdir -p $(@D)
	$(SAY) GEN $@
	$(Q){ echo '#include "db/schema.h"'; echo 'const char *const schema_steps[] = {'; \
	  for f in $(SCHEMA); do $(SQL_TEXT) $$f; echo ,; done; \
	  echo '};'; echo 'const int schema_n_steps = $(words $(SCHEMA));'; \
	  echo 'const char *const merge_script ='; $(SQL_TEXT) db/merge.sql; echo ';'; } > $@

# The profiles of simulated disks, likewise.
$(O)/vdisk/profiles.c: $(PROFILES) Makefile
	@mkdir -p $(@D)
	$(SAY) GEN $@
	$(Q){ echo '#include "vdisk/profile.h"'; echo 'const struct profile_text profile_texts[] = {'; \
	  for f in $(PROFILES); do echo "{ \"$$(basename $$f .ini)\","; \
	  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $$f; echo '},'; done; echo '{ 0 } };'; } > $@

$(O)/db/schema.o $(O)/vdisk/profiles.o: %.o: %.c
	$(SAY) CC $<
	$(COMPILE) -c -o $@ $<

$(O)/tests/unit/%.t: tests/unit/%.t.c $(LIBRARY)
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(COMPILE) -o $@ $< $(LIBRARY) $(LDFLAGS) $(LDLIBS)

$(O)/tests/fakesys/fakesys: tests/fakesys/fakesys.c $(filter $(O)/common/%,$(OBJECTS))
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(COMPILE) $(shell pkg-config --cflags fuse3) -o $@ $^ $(LDFLAGS) $(LDLIBS) $(shell pkg-config --libs fuse3)

# Started once a run: without the time that libraries take to load.
$(O)/tests/fakefio/fio: tests/fakefio/fio.c $(O)/common/random.o
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(COMPILE) -o $@ $^ $(LDFLAGS) -lm

# Programs of the bench.
$(PRELOADS): $(O)/%.so: %.c
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(COMPILE) -shared -fPIC -o $@ $<

$(O)/tests/bench/%: tests/bench/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(COMPILE) -o $@ $< $(LIBRARY) $(LDFLAGS) $(LDLIBS)

.PHONY: all man bench timeline check check-unit check-cli check-system check-deb check-module chaos false-alarms fuzz lint install uninstall deb clean help tests FORCE

tests: all man $(UNITS) $(FAKESYS) $(FAKEFIO) $(BENCHES)

# Tests find what to test through these.
export IOBENCH := $(abspath $(O)/iobench)
export BUILD   := $(abspath $(O))
export IOBENCH_JOBS := $(abspath jobs)
PROVE    := prove --timer

check: tests
	$(PROVE) --exec '' $(UNITS) $(wildcard tests/cli/*.t tests/system/*.t)
check-unit: tests
	$(PROVE) --exec '' $(UNITS)
check-cli: tests
	$(PROVE) --exec '' $(wildcard tests/cli/*.t)
check-system: tests
	$(PROVE) --exec '' $(wildcard tests/system/*.t)

# A real bfq.ko from Debian's kernel source and headers: downloads some 150 MB.
check-module: tests
	tests/check-module.sh

# Sweeps that are killed at random: N of them.
N        := 200
chaos: tests
	tests/chaos.sh $(N)

# How often a comparison of the same with the same claims a change: N sweeps; NUMJOBS=1,2 BLOCKS=6 ORDER=sequential …
false-alarms: tests
	tests/false-alarms.sh $(N)

# Every figure beside its goal; JUDGE=no, SHORT=yes, RUNS=1000000, PARTS='parse import queries harness wakeups matrix'.
bench: tests
	tests/bench/run.sh

# Where the time from the start to the first fio goes; LEAST=0.1: calls that take at least so many ms.
timeline: tests
	$(Q)$(MAKE) -s O=build-timeline CFLAGS='-O2 -g -finstrument-functions' build-timeline/iobench
	IOBENCH=$(abspath build-timeline/iobench) tests/bench/timeline.sh

# Each fuzzer for so long.
SECONDS  := 60
fuzz:
	tests/fuzz/run.sh $(SECONDS)

SCRIPTS  := $(shell grep -lE '^\#!.*(ba)?sh|^\# shellcheck shell' scripts/* scripts/*/* .ci/run tests/*.sh tests/*/*.t tests/*/*.sh 2>/dev/null)

# A file at a time: clang-tidy 14 mixes files up otherwise. $(LINTED) are analysed as the compiler sees them.
JOBS     := $(shell nproc)
LINTED   := $(SOURCES) $(wildcard tests/fakesys/*.c tests/fakefio/*.c tests/bench/*.c)
LINT_CPP  = $(CPPFLAGS) $(shell pkg-config --cflags fuse3)

lint: $(O)/db/schema.c
	scripts/check-layers
	cppcheck --quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -I. -D_GNU_SOURCE \
	    --suppress=missingIncludeSystem -j $(JOBS) $(LINTED) $(wildcard tests/unit/*.c)
	printf '%s\n' $(LINTED) | xargs -P $(JOBS) -I{} $(CC) -std=gnu17 $(LINT_CPP) -O2 $(WARNINGS) -fanalyzer -S -o /dev/null {}
	printf '%s\n' $(LINTED) | xargs -P $(JOBS) -I{} clang-tidy --quiet {} -- -std=gnu17 $(LINT_CPP) 2>/dev/null
	shellcheck $(SCRIPTS)
	! find tests -name '*.t' ! -perm -u+x | grep .

# The workloads are looked for below the PREFIX of the last 'make': another one compiles that in anew.
$(O)/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' > $@
$(O)/runner/workload.o: $(O)/prefix

# Man pages: the tables of options, then what docs/man/ has to say of the command. A command is a file cli/cmd_NAME.c.
MANPAGES := $(O)/man/iobench.1 $(patsubst cli/cmd_%.c,$(O)/man/iobench-%.1,$(wildcard cli/cmd_*.c))
man: $(MANPAGES)
$(O)/man/iobench.1: $(O)/iobench docs/man/iobench.mdoc
	@mkdir -p $(@D)
	$(SAY) GEN $@
	$(Q)$< help --mdoc > $@.new
	$(Q)sed 's|@DATADIR@|$(PREFIX)/share/iobench|' docs/man/iobench.mdoc >> $@.new && mv $@.new $@
$(O)/man/iobench-%.1: $(O)/iobench $(wildcard docs/man/*.mdoc)
	@mkdir -p $(@D)
	$(SAY) GEN $@
	$(Q)$< help --mdoc $* > $@.new
	$(Q){ cat $(wildcard docs/man/$*.mdoc) /dev/null; echo .Sh SEE ALSO; echo .Xr iobench 1; } >> $@.new && mv $@.new $@

BINDIR    = $(DESTDIR)$(PREFIX)/bin
SHAREDIR  = $(DESTDIR)$(PREFIX)/share
UNITFILES := iobench-nightly.service iobench-nightly.timer
DOCS     := $(wildcard docs/*.md docs/*.svg)

install: all man
	install -d $(BINDIR) $(SHAREDIR)/iobench/jobs $(SHAREDIR)/man/man1 $(SHAREDIR)/doc/iobench/docs \
	    $(SHAREDIR)/bash-completion/completions
	install -m 755 iobench iobench-vdisk $(BINDIR)
	install -m 644 jobs/* $(SHAREDIR)/iobench/jobs
	install -m 644 $(MANPAGES) $(SHAREDIR)/man/man1
	install -m 644 scripts/completions/iobench $(SHAREDIR)/bash-completion/completions
	install -m 644 README.md $(SHAREDIR)/doc/iobench
	install -m 644 $(DOCS) $(SHAREDIR)/doc/iobench/docs
	install -D -m 644 -t $(SHAREDIR)/doc/iobench/docs/examples docs/examples/*
	install -D -m 755 scripts/nightly $(DESTDIR)$(PREFIX)/libexec/iobench/nightly
	install -d $(DESTDIR)$(UNITDIR)
	for u in $(UNITFILES); do sed 's|/usr/local/|$(PREFIX)/|' scripts/systemd/$$u > $(DESTDIR)$(UNITDIR)/$$u || exit; done

uninstall:
	rm -f $(BINDIR)/iobench $(BINDIR)/iobench-vdisk $(MANPAGES:$(O)/man/%=$(SHAREDIR)/man/man1/%) \
	    $(SHAREDIR)/bash-completion/completions/iobench
	rm -f $(UNITFILES:%=$(DESTDIR)$(UNITDIR)/%)
	rm -rf $(SHAREDIR)/iobench $(SHAREDIR)/doc/iobench $(DESTDIR)$(PREFIX)/libexec/iobench

# The Debian package, built in a copy of the tree and left in $(O)/deb.
deb:
	scripts/build-deb $(O)/deb
check-deb: deb
	scripts/check-deb $(O)/deb/iobench_*.deb

clean:
	rm -rf build build-* iobench iobench-vdisk

help:
	@echo 'make                the program, ./iobench'
	@echo 'make check          every test; what needs root or a loop device skips where there is none'
	@echo 'make check-unit     tests that need nothing (also check-cli, check-system)'
	@echo 'make check-module   build a real bfq.ko (downloads 150 MB of kernel source and headers)'
	@echo 'make chaos N=200    sweeps killed at random instants in random ways; make fuzz SECONDS=60'
	@echo 'make false-alarms N=200   sweeps of one scheduler under two names with a fake fio: how many claim a change'
	@echo 'make bench          figures beside their goals (root; JUDGE=no SHORT=yes: once and short)'
	@echo 'make timeline       where the time from the start to the first fio goes (root; N=20 LEAST=0.1)'
	@echo 'make lint           check-layers, cppcheck, gcc -fanalyzer, clang-tidy, shellcheck'
	@echo 'make SAN=1 check    the same tests under ASan and UBSan, built in build-san/'
	@echo 'make install        into $$(DESTDIR)$$(PREFIX), by default /usr/local; make uninstall; make man'
	@echo 'make deb            the Debian package, in build/deb; make check-deb installs and runs it in a new Debian'
	@echo 'make clean'

-include $(OBJECTS:.o=.d) $(UNITS:.t=.d) $(FAKEFIO:=.d) $(BENCHES:=.d)
