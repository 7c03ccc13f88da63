import { join } from "node:path";
import type { Random } from "../simulation/random.ts";
import { type EscapeWorld, VARIABLES } from "./escape-world.ts";

/** A script that tries to get out. It says BROKE when it can tell itself that it did; else the world tells. */
export interface Attempt {
  readonly kind: string;
  readonly script: string;
}

/** Makers of attempts, by what they are after. Those without a sandbox are tried too, to see that they are real. */
type Maker = (world: EscapeWorld, random: Random) => string;

/** Each does harm only to what the test itself has made, also where nothing holds it. */
export const PLAIN_MAKERS: Readonly<Record<string, Maker>> = {
  "write a file outside": (world, random) => write(random, pathTo(world, join(world.outside, "canary.txt"), random)),
  "make a file outside": (world, random) => make(random, pathTo(world, join(world.outside, "new"), random)),
  "make a hard link": (world, random) =>
    `ln ${pathTo(world, join(world.outside, "canary.txt"), random)} hard${random.below(1e6)} && for f in hard*; do echo x > $f; done`,
  "read a secret": (world, random) => read(random, pathTo(world, random.pick(world.secrets), random)),
  "read the environment": ({ victim }, random) =>
    random.pick([
      "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
      `cat /proc/${victim.pid}/environ`,
      `cat /proc/1/root/proc/${victim.pid}/environ`,
      "grep -ah TOKEN /proc/[0-9]*/environ; env",
      `node -p 'fs.readFileSync("/proc/${victim.pid}/environ", "utf8")'`,
    ]),
  "change the repository": (world, random) => change(random, random.pick([".git", join(world.directory, ".git")])),
  "connect to a server": connect,
  "change what is brought": changeBrought,
};

export const MAKERS: Readonly<Record<string, Maker>> = {
  ...PLAIN_MAKERS,
  "leave a daemon": daemon,
  "end a process outside": ({ victim }, random) =>
    `${random.pick(["kill -9", "kill -TERM", "kill -STOP", "/bin/kill -9", "bash -c 'kill -9 \"$0\"'"])} ${victim.pid}`,
  "mount or change the namespace": (world, random) => namespace(world, random),
  "set a variable of the kernel": (_world, random) => `: >> ${kernelFile(random)} && echo BROKE`,
  "use a device": (_world, random) => device(random),
  "get privileges": (world, random) => privilege(world, random),
  "use what the sandbox was made with": (world, random) => leftovers(world, random),
};

export function* attempts(world: EscapeWorld, random: Random, makers = MAKERS): Generator<Attempt> {
  const kinds = Object.entries(makers);
  for (let turn = 0; ; turn++) {
    const [kind, maker] = kinds[turn % kinds.length] ?? ["", () => ""];
    yield { kind, script: maker(world, random) };
  }
}

/** The many names of a place. Where nothing holds the attempt, each of them leads there or nowhere. */
function pathTo(world: EscapeWorld, place: string, random: Random): string {
  const up = "../".repeat(2 + random.below(12));
  const fromBase = place.slice(world.base.length + 1);
  const inOutside = place.startsWith(world.outside) ? place.slice(world.outside.length + 1) : `../${fromBase}`;
  return random.pick([
    place,
    `../../${fromBase}`,
    `${"../".repeat(24)}${place.slice(1)}`,
    `./own.txt/../${up}${fromBase}`,
    `//${place.replaceAll("/", "//")}`,
    `/proc/self/root${place}`,
    `/proc/1/root${place}`,
    `/proc/1/cwd${place}`,
    `/proc/self/cwd/../../${fromBase}`,
    `/dev/fd/../../root${place}`,
    `link/${inOutside}`,
    `relative-link/${inOutside}`,
    `root-link${place}`,
    `$(ln -sfn ${world.base} l; echo l/${fromBase})`,
    `$(ln -sfn ${random.pick(["/", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../../../../../../.."])} l; echo l${place})`,
    `$(ln -sfn ../.. l; ln -sfn l k; echo k/${fromBase})`,
    `$(mkdir -p a/b; ln -sfn ../../../../ a/b/c; echo a/b/c/${fromBase})`,
    `/newroot${place}`,
    `/oldroot${place}`,
  ]);
}

function write(random: Random, place: string): string {
  return random.pick([
    `echo x > ${place}`,
    `echo x >> ${place}`,
    `: > ${place}`,
    `rm -f ${place}`,
    `mv ${place} taken`,
    `mv own.txt ${place}; echo own > own.txt`,
    `cp own.txt ${place}`,
    `chmod 777 ${place}`,
    `truncate -s 1 ${place}`,
    `sed -i s/c/x/ ${place}`,
    `dd if=own.txt of=${place}`,
    `ln -sf own.txt ${place}`,
    `tee ${place} < own.txt`,
    `node -e 'fs.writeFileSync(process.argv[1], "x")' ${place}`,
    `bash -c 'exec 5<>"$0"; echo x >&5' ${place}`,
  ]);
}

function make(random: Random, place: string): string {
  const name = `${place}${random.below(1e6)}`;
  return random.pick([
    `echo x > ${name}`,
    `mkdir ${name}`,
    `ln -s own.txt ${name}`,
    `mkfifo ${name}`,
    `cp own.txt ${name}`,
    `ln own.txt ${name}`,
    `node -e 'fs.mkdirSync(process.argv[1])' ${name}`,
    `mkdir ${name} && git init -q ${name}`,
  ]);
}

function read(random: Random, place: string): string {
  return random.pick([
    `cat ${place}`,
    `head -c 100 ${place}`,
    `cp ${place} taken && cat taken`,
    `ln ${place} taken-link && cat taken-link`,
    `mv ${place} taken && cat taken`,
    `tar cf - ${place} | strings`,
    `grep -r SECRET ${place}`,
    `node -p 'fs.readFileSync(process.argv[1], "utf8")' ${place}`,
    `while read -r line || [ -n "$line" ]; do echo "$line"; done < ${place}`,
    `dd if=${place}`,
    `bash -c 'echo "$(<"$0")"' ${place}`,
    `git hash-object -w ${place} && git diff --no-index /dev/null ${place}`,
  ]);
}

function change(random: Random, git: string): string {
  return random.pick([
    `echo evil > ${git}/hooks/post-checkout`,
    `echo evil >> ${git}/hooks/pre-commit`,
    `chmod 777 ${git}/hooks/pre-commit`,
    `echo '[core] fsmonitor = evil' >> ${git}/config`,
    `git config core.hooksPath /tmp`,
    `git config --file ${git}/config core.sshCommand evil`,
    `mv ${git} moved && mkdir ${git}`,
    `rm -rf ${git}/hooks`,
    `ln -sf ../own.txt ${git}/hooks/pre-commit`,
    `cp own.txt ${git}/info/attributes`,
    `mkdir ${git}/refs`,
    `touch -d 2001-01-01 ${git}/config && echo x > ${git}/index`,
    `cd ${git}/hooks && echo x > ./commit-msg`,
    `ln -s ${git} g && echo x > g/config`,
    `ln ${git}/config c && echo x > c`,
  ]);
}

function connect({ port, datagramPort, socketPath, abstractName }: EscapeWorld, random: Random): string {
  const dial = (options: string): string => `node -e 'net.connect(${options}).on("error", () => {})'`;
  return random.pick([
    `bash -c 'echo x > /dev/tcp/127.0.0.1/${port}'`,
    `bash -c 'echo x > /dev/tcp/localhost/${port}'`,
    `bash -c 'echo x > /dev/udp/127.0.0.1/${datagramPort}'`,
    dial(`{ port: ${port}, host: "127.0.0.1" }`),
    dial(`{ port: ${port}, host: "::ffff:127.0.0.1" }`),
    dial(`{ port: ${port}, host: "0.0.0.0" }`),
    dial(`{ path: "${socketPath}" }`),
    dial(`{ path: "/proc/1/root${socketPath}" }`),
    dial(`{ path: "\\0${abstractName}" }`),
    `node -e 'const s = dgram.createSocket("udp4"); s.send("x", ${datagramPort}, "127.0.0.1", () => s.close())'`,
    `perl -e 'print "BROKE" if syscall(41, ${random.pick([40, 38, 31, 17, 3, 4, 29, 44])}, ${random.pick([1, 2, 3, 5])}, 0) >= 0'`,
    `ln -s ${socketPath} s${random.below(1e6)}; for f in s[0-9]*; do node -e 'net.connect(process.argv[1]).on("error", () => {})' $f; done`,
  ]);
}

function changeBrought({ brought }: EscapeWorld, random: Random): string {
  const dial = (path: string): string => `node -e 'net.connect("${path}").on("error", () => {})'`;
  return random.pick([
    "echo evil > node_modules/one/index.js",
    "echo evil > node_modules/.new",
    "rm -rf node_modules/one",
    "chmod 777 node_modules/one",
    "mv node_modules/one node_modules/other",
    "cd node_modules/one && ln -sf ../../own.txt index.js",
    `mkdir -p ${brought}; echo evil > ${brought}/one/index.js`,
    "for p in /sys/0/below /sys/0/seen /proc/[0-9]*/root/sys/0/below; do echo evil > $p/one/index.js; done; echo x >> node_modules/.new",
    dial("node_modules/daemon.sock"),
    dial(`${brought}/daemon.sock`),
    `ln node_modules/daemon.sock d${random.below(1e6)}; for f in d[0-9]*; do ${dial("'$f'")}; done; touch node_modules/.made`,
    "setfattr -x user.overlay.opaque node_modules; setfattr -n user.overlay.redirect -v /../../outside node_modules/one; touch node_modules/.made",
  ]);
}

function daemon({ token }: EscapeWorld, random: Random): string {
  const nap = `sleep ${token}${random.below(1e4)}`;
  return random.pick([
    `setsid ${nap} > /dev/null 2>&1 &`,
    `setsid env -i ${nap} > /dev/null 2>&1 < /dev/null &`,
    `(setsid sh -c 'setsid env -i ${nap} &' > /dev/null 2>&1 &)`,
    `nohup ${nap} > /dev/null 2>&1 &`,
    `bash -c '(trap "" TERM HUP INT; exec -a kworker ${nap}) > /dev/null 2>&1 & disown'`,
    `node -e 'child_process.spawn("sleep", ["${token}"], { detached: true, stdio: "ignore", env: {} }).unref()'`,
    `cd / && setsid setsid setsid env -i /bin/sh -c 'while :; do ${nap}; done' > /dev/null 2>&1 &`,
    `perl -e 'fork and exit; fork and exit; close STDOUT; close STDERR; exec qw(${nap})'`,
  ]);
}

function namespace({ outside, directory }: EscapeWorld, random: Random): string {
  const flag = random.pick([
    "-U",
    "-Ur",
    "-Urm",
    "-m",
    "-p --fork",
    "-n",
    "-i",
    "-u",
    "-C",
    "-Urp --fork --mount-proc",
  ]);
  return random.pick([
    `unshare ${flag} true && echo BROKE`,
    `mkdir -p m && mount --bind ${outside} m && echo BROKE`,
    `mkdir -p m && mount -t tmpfs none m && echo BROKE`,
    `mkdir -p m && mount -t proc none m && echo BROKE`,
    `mount -o remount,rw ${random.pick(["/", "/usr", "/proc", "/dev", `${directory}/.git`])} && echo BROKE`,
    `umount -l ${random.pick([`${directory}/.git`, `${directory}/.baton`])} && echo BROKE`,
    `mkdir -p m && chroot m true && echo BROKE; chroot / true && echo BROKE`,
    `nsenter -t 1 -${random.pick(["m", "n", "p", "U", "i", "u"])} true && echo BROKE`,
    `setpriv --inh-caps +sys_admin sh -c 'mkdir -p m && mount -t tmpfs none m && echo BROKE'`,
    `perl -e 'print "BROKE" if syscall(435, "\\0" x 88, 88) > 0'`,
    `perl -e 'print "BROKE" if syscall(${random.pick([428, 430, 250, 321, 425, 323, 298])}, 0, 0, 0, 0, 0) >= 0'`,
  ]);
}

function kernelFile(random: Random): string {
  return random.pick([
    ...VARIABLES,
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sysrq-trigger",
    "/proc/1/mem",
    "/proc/self/mem",
    "/proc/1/oom_score_adj",
    "/proc/self/uid_map",
    "/proc/irq/default_smp_affinity",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/release_agent",
  ]);
}

function device(random: Random): string {
  const name = random.pick([
    "mem",
    "kmsg",
    "port",
    "vda",
    "sda",
    "nvme0n1",
    "loop0",
    "kvm",
    "fuse",
    "net/tun",
    "kcore",
  ]);
  return random.pick([
    `: >> /dev/${name} && echo BROKE`,
    `head -c 1 /dev/${name} && echo BROKE`,
    `test -w /dev && echo BROKE`,
    `mknod disk b ${random.pick(["8 0", "254 0", "259 0", "7 0"])} && head -c 1 disk && echo BROKE`,
    `mknod memory c 1 1 && head -c 1 memory && echo BROKE`,
    `perl -e 'open(T, "+<", "/dev/tty") or exit; print "BROKE" if ioctl(T, 0x5412, "x")'`,
    `perl -e 'print "BROKE" if ioctl(STDIN, 0x5412, "x") or ioctl(STDOUT, 0x5412, "x")'`,
  ]);
}

function privilege(_world: EscapeWorld, random: Random): string {
  const id = random.below(1e6);
  return random.pick([
    `cp /bin/true s${id} && chmod u+s s${id} && echo BROKE`,
    `cp /bin/true s${id} && chmod 6755 s${id} && echo BROKE`,
    `cp /bin/true s${id} && chmod g+s s${id}`,
    `install -m 4755 /bin/true s${id}`,
    `perl -e 'use Fcntl; sysopen(F, "s${id}", O_CREAT | O_WRONLY, 04755) and print "BROKE"'`,
    `node -e 'fs.openSync("s${id}", "w", 0o4755); console.log("BROKE")'`,
    `node -e 'fs.writeFileSync("s${id}", ""); fs.chmodSync("s${id}", 0o4755); console.log("BROKE")'`,
    "sudo -n true && echo BROKE",
    "setpriv --reuid 12345 true && echo BROKE",
    `setpriv --inh-caps +all --ambient-caps +all sh -c "grep -E 'CapEff.*[1-9a-f]' /proc/self/status && echo BROKE"`,
    "setcap cap_sys_admin+ep own.txt && echo BROKE",
    "chown 12345 own.txt && echo BROKE",
    "grep -E 'Cap(Prm|Eff|Bnd).*[1-9a-f]' /proc/self/status && echo BROKE",
    "grep -q 'NoNewPrivs:.1' /proc/self/status || echo BROKE",
    "cat /etc/shadow /etc/sudoers /etc/ssh/ssh_host_* 2> /dev/null | grep -q . && echo BROKE",
  ]);
}

function leftovers({ outside, home, base }: EscapeWorld, random: Random): string {
  return random.pick([
    'for f in /proc/[0-9]*/fd/*; do t=$(readlink $f); case "$t" in /dev/*|pipe:*|socket:*|anon_inode:*|/proc/*|"") ;; *) echo "BROKE $t";; esac; done',
    `for f in /proc/[0-9]*/fd/*; do cat $f/../../${outside}/secret; cat $f/${outside}/secret; done`,
    `for p in /proc/[0-9]*; do cat $p/root${outside}/secret $p/cwd/../../outside/secret; done`,
    `ls -d ${home} ${outside} && echo BROKE`,
    `ls /run /var/run 2> /dev/null | grep -q . && echo BROKE`,
    `ls /root /home /mnt /media /srv /boot /sys 2> /dev/null | grep -v ':' | grep -q . && echo BROKE`,
    `find ${base} -newer /proc/self/exe -name secret -exec cat {} +`,
    "cp /bin/true x && cat x > /proc/self/exe && echo BROKE",
    "echo x > /proc/self/exe && echo BROKE",
    "strace -p 1 -o /dev/null & sleep 0.2; grep -q 'TracerPid:.[1-9]' /proc/1/status && echo BROKE; kill %1",
    "perl -e 'print \"BROKE\" if syscall(101, 16, 1, 0, 0) >= 0'",
    "perl -e 'print \"BROKE\" if syscall(101, 0x4206, 1, 0, 0) >= 0'",
    "test -w /usr/local/bin && echo BROKE",
    "test -w / && echo BROKE",
    "test -w /run && echo BROKE",
    `test -w "$(dirname "$(command -v node)")" && echo BROKE`,
  ]);
}
