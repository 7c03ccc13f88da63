/**
 * A filter of system calls for the sandbox, as the kernel takes it (classic BPF). It refuses what a build or a test
 * does not need and what would weaken the walls: namespaces and mounts of its own, keys of the operator's session,
 * networks that have no namespaces, memory that no process shows, files that run as their owner, and access to the
 * memory and descriptors of other processes: with those of the first one, a test could report any exit code.
 */
export function systemCallFilter(architecture: string): Buffer | null {
  const ports = MACHINES[architecture];
  if (ports === undefined) return null;
  const refusals = CALLS.flatMap((call) => {
    const number = call.numbers[ports.column];
    return number === null || number === undefined ? [] : [refusal(call, number)];
  });
  return encode([
    load(ARCHITECTURE),
    jump(EQUAL, ports.audit, 1, 0),
    answer(NO_SUCH_CALL),
    load(NUMBER),
    // The second way of calling that one machine has.
    jump(AT_LEAST, 0x4000_0000, 0, 1),
    answer(NO_SUCH_CALL),
    ...refusals.flat(),
    allow(),
  ]);
}

const MACHINES: Readonly<Record<string, { readonly audit: number; readonly column: 0 | 1 }>> = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
};

const NOT_PERMITTED = 1;
const NO_SUCH_CALL = 38;
const NO_SUCH_FAMILY = 97;

interface Call {
  readonly name: string;
  /** On x64 and on arm64. */
  readonly numbers: readonly [number | null, number | null];
  readonly error: number;
  /** Refused when all tests of one of these hold; always when there are none. */
  readonly when?: readonly (readonly Test[])[];
}

interface Test {
  readonly argument: number;
  readonly half?: "high";
  readonly is: "equal" | "above" | "any-of";
  readonly value: number;
}

const SMALL_SEGMENT = 65_536;
const NEW_NAMESPACES = 0x7e02_0000;
const CREATING = 0o100 | 0o20000000;
const RUNS_AS_OWNER = 0o6000;
const INTO_TERMINAL = 0x5412;
/** Local sockets, both internets, and the kernel's own messages. */
const FAMILIES = [1, 2, 10, 16];
const LAST_FAMILY = 16;
const OTHER_FAMILIES = Array.from({ length: LAST_FAMILY }, (_, family) => family).filter(
  (family) => !FAMILIES.includes(family),
);

const CALLS: readonly Call[] = [
  ...always(NOT_PERMITTED, {
    unshare: [272, 97],
    setns: [308, 268],
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    chroot: [161, 51],
    open_tree: [428, 428],
    move_mount: [429, 429],
    fsopen: [430, 430],
    fsconfig: [431, 431],
    fsmount: [432, 432],
    fspick: [433, 433],
    mount_setattr: [442, 442],
    open_by_handle_at: [304, 265],
    add_key: [248, 217],
    request_key: [249, 218],
    keyctl: [250, 219],
    bpf: [321, 280],
    perf_event_open: [298, 241],
    userfaultfd: [323, 282],
    syslog: [103, 116],
    // With a pidfd alone a process can only send signals and wait, as it can without.
    pidfd_getfd: [438, 438],
    ptrace: [101, 117],
    process_vm_readv: [310, 270],
    process_vm_writev: [311, 271],
    kcmp: [312, 272],
  }),
  // Their arguments stand in memory, where no filter can look; programs know what to do without them.
  ...always(NO_SUCH_CALL, {
    clone3: [435, 435],
    openat2: [437, 437],
    io_uring_setup: [425, 425],
    io_uring_enter: [426, 426],
    io_uring_register: [427, 427],
    memfd_create: [319, 279],
    memfd_secret: [447, 447],
  }),
  {
    name: "socket",
    numbers: [41, 198],
    error: NO_SUCH_FAMILY,
    when: [
      [{ argument: 0, is: "above", value: LAST_FAMILY }],
      ...OTHER_FAMILIES.map((value): Test[] => [{ argument: 0, is: "equal", value }]),
    ],
  },
  sometimes("clone", [56, 220], [{ argument: 0, is: "any-of", value: NEW_NAMESPACES }]),
  sometimes("ioctl", [16, 29], [{ argument: 1, is: "equal", value: INTO_TERMINAL }]),
  sometimes(
    "shmget",
    [29, 194],
    [{ argument: 1, is: "above", value: SMALL_SEGMENT }],
    [{ argument: 1, half: "high", is: "above", value: 0 }],
  ),
  sometimes("chmod", [90, null], [{ argument: 1, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("fchmod", [91, 52], [{ argument: 1, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("fchmodat", [268, 53], [{ argument: 2, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("fchmodat2", [452, 452], [{ argument: 2, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("creat", [85, null], [{ argument: 1, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("mknod", [133, null], [{ argument: 1, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes("mknodat", [259, 33], [{ argument: 2, is: "any-of", value: RUNS_AS_OWNER }]),
  sometimes(
    "open",
    [2, null],
    [
      { argument: 1, is: "any-of", value: CREATING },
      { argument: 2, is: "any-of", value: RUNS_AS_OWNER },
    ],
  ),
  sometimes(
    "openat",
    [257, 56],
    [
      { argument: 2, is: "any-of", value: CREATING },
      { argument: 3, is: "any-of", value: RUNS_AS_OWNER },
    ],
  ),
];

function always(error: number, calls: Readonly<Record<string, readonly [number, number]>>): Call[] {
  return Object.entries(calls).map(([name, numbers]) => ({ name, numbers, error }));
}

function sometimes(name: string, numbers: Call["numbers"], ...when: readonly (readonly Test[])[]): Call {
  return { name, numbers, error: NOT_PERMITTED, when };
}

/** One instruction: code, where to go when it holds and when not, and its constant. */
type Instruction = readonly [code: number, yes: number, no: number, constant: number];

const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;
const EQUAL = 0x15;
const ABOVE = 0x25;
const AT_LEAST = 0x35;
const ANY_OF = 0x45;
const TESTS = { equal: EQUAL, above: ABOVE, "any-of": ANY_OF } as const;

/** The number of the call is loaded when it begins; when the call is another one, it goes on behind. */
function refusal({ error, when }: Call, number: number): Instruction[] {
  const body = when === undefined ? [answer(error)] : [...when.flatMap((tests) => refuseWhen(tests, error)), allow()];
  return [jump(EQUAL, number, 0, body.length), ...body];
}

/** A test that does not hold leads behind the refusal. */
function refuseWhen(tests: readonly Test[], error: number): Instruction[] {
  const asked = tests.flatMap(({ argument, half, is, value }, index) => [
    load(ARGUMENTS + 8 * argument + (half === "high" ? 4 : 0)),
    jump(TESTS[is], value, 0, 2 * (tests.length - 1 - index) + 1),
  ]);
  return [...asked, answer(error)];
}

function load(offset: number): Instruction {
  return [0x20, 0, 0, offset];
}

function jump(code: number, constant: number, yes: number, no: number): Instruction {
  return [code, yes, no, constant];
}

function answer(error: number): Instruction {
  return [0x06, 0, 0, 0x0005_0000 + error];
}

function allow(): Instruction {
  return [0x06, 0, 0, 0x7fff_0000];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, yes, no, constant]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(constant, index * 8 + 4);
  }
  return bytes;
}
