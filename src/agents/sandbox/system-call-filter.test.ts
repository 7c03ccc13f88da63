import { describe, expect, it } from "vitest";
import { systemCallFilter } from "./system-call-filter.ts";

const MACHINES = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
} as const;

/** Numbers of the kernel's own tables, on x64 and on arm64. */
const REFUSED = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  mount: [165, 40],
  unshare: [272, 97],
  setns: [308, 268],
} as const;

const ALLOWED = {
  read: [0, 63],
  write: [1, 64],
  execve: [59, 221],
  kill: [62, 129],
  wait4: [61, 260],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
} as const;

const ALLOW = 0x7fff_0000;
const NOT_PERMITTED = 0x0005_0001;
const NO_SUCH_CALL = 0x0005_0026;

describe.each(["x64", "arm64"] as const)("on %s the filter", (machine) => {
  const { audit, column } = MACHINES[machine];

  it.each(Object.entries(REFUSED))("refuses %s, whatever its arguments", (_name, numbers) => {
    for (const argument of [0, 1, 2, 4711])
      expect(answerOf(machine, audit, numbers[column], argument)).toBe(NOT_PERMITTED);
  });

  it.each(Object.entries(ALLOWED))("allows %s", (_name, numbers) => {
    expect(answerOf(machine, audit, numbers[column], 1)).toBe(ALLOW);
  });

  it("knows no call of another machine", () => {
    const other = MACHINES[machine === "x64" ? "arm64" : "x64"].audit;
    expect(answerOf(machine, other, 0, 0)).toBe(NO_SUCH_CALL);
  });
});

/** What the kernel would answer: it runs the instructions on the number, the architecture and the arguments. */
function answerOf(machine: string, audit: number, number: number, argument: number): number {
  const program = systemCallFilter(machine) ?? Buffer.alloc(0);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (let at = 16; at < 64; at += 8) data.writeUInt32LE(argument, at);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, constant] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return constant;
    if (code === 0x20) loaded = data.readUInt32LE(constant);
    else at += 8 * program.readUInt8(at + (holds(code, loaded, constant) ? 2 : 3));
  }
  throw new Error("the filter has no end");
}

function holds(code: number, loaded: number, constant: number): boolean {
  const tests: Readonly<Record<number, boolean>> = {
    0x15: loaded === constant,
    0x25: loaded > constant,
    0x35: loaded >= constant,
    0x45: (BigInt(loaded) & BigInt(constant)) !== 0n,
  };
  const result = tests[code];
  if (result === undefined) throw new Error(`an instruction that no test knows: ${code}`);
  return result;
}
