import { afterAll, describe, expect, it } from "vitest";
import { commandRunner } from "../../src/agents/run-command.ts";
import { aFolder, hasNoSandbox, removeFolders, runScript } from "./gates.ts";

afterAll(removeFolders);

const column = process.arch === "arm64" ? 1 : 0;
const NUMBERS = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
} as const;

function call(name: keyof typeof NUMBERS): number {
  return NUMBERS[name][column];
}

/** Of the first process, which tells bubblewrap by a counter how the gate has ended: one more than the exit code. */
const FORGE_EXIT_CODE = `
  my $first = syscall(${call("pidfd_open")}, 1, 0);
  for my $number (0 .. 63) {
    next if (readlink("/proc/1/fd/$number") // "") !~ /eventfd/;
    my $own = syscall(${call("pidfd_getfd")}, $first, $number + 0, 0);
    next if $own < 0;
    open(my $counter, ">&=", $own);
    syswrite($counter, pack("Q", 1));
    sleep 1;
  }`;

/** Each tells what it took from the shell that has started it, or says nothing. */
const HANDS_ON_OTHERS: Readonly<Record<string, string>> = {
  pidfd_getfd: `print "TAKEN" if syscall(${call("pidfd_getfd")}, syscall(${call("pidfd_open")}, getppid(), 0), 1, 0) >= 0`,
  "ptrace, attached": `print "TAKEN" if syscall(${call("ptrace")}, 16, getppid(), 0, 0) >= 0 and waitpid(getppid(), 0x40000000)`,
  "ptrace, seized": `print "TAKEN" if syscall(${call("ptrace")}, 0x4206, getppid(), 0, 0) >= 0`,
  process_vm_readv: memory(call("process_vm_readv")),
  process_vm_writev: memory(call("process_vm_writev")),
  kcmp: `print "TAKEN" if syscall(${call("kcmp")}, $$ + 0, getppid(), 2, 0, 0) >= 0`,
  "a written /proc/PID/mem": `print "TAKEN" if open(my $memory, "+<", "/proc/" . getppid() . "/mem")`,
};

/** A few bytes at the beginning of the other's stack. */
function memory(number: number): string {
  return `
    open(my $maps, "<", "/proc/" . getppid() . "/maps");
    my ($place) = map { /^([0-9a-f]+)-.*\\[stack\\]/ ? hex($1) : () } <$maps>;
    my $bytes = "\\0" x 8;
    my $own = pack("PQ", $bytes, 8);
    my $other = pack("QQ", $place, 8);
    print "TAKEN" if syscall(${number}, getppid(), $own, 1, $other, 1, 0) > 0`;
}

/** The tests that a gate runs are an agent's: they must not decide what the programs around them say. */
describe.skipIf(hasNoSandbox())("in the sandbox a process of the gate", () => {
  it("cannot forge the exit code of the gate", async () => {
    const result = await runScript(commandRunner, aFolder(), 'perl -e "$FORGE"; exit 7', {
      environment: { FORGE: FORGE_EXIT_CODE },
    });
    expect(result).toMatchObject({ end: "exited", exitCode: 7 });
  });

  it.each(Object.entries(HANDS_ON_OTHERS))("gets no hold of another process: %s", async (_name, script) => {
    const result = await runScript(commandRunner, aFolder(), 'perl -e "$TAKE"; echo tried', {
      environment: { TAKE: script },
    });
    expect(result).toMatchObject({ end: "exited", exitCode: 0, output: "tried\n" });
  });
});
