import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/** The two ends of a connection on this machine, as the one who accepted it sees them. */
export interface LocalConnection {
  readonly localPort: number;
  readonly remotePort: number;
}

/**
 * `gone` when the other side has closed it, `hidden` when a program of this account has it that does not let itself be
 * looked into; null where the system does not tell, as for programs of other accounts.
 */
type Peer = readonly number[] | "gone" | "hidden" | null;

interface FoundSocket {
  readonly inode: string;
  readonly account: number;
}

/** The processes at the other end of a connection; several when it was inherited. */
export function findPeer(connection: LocalConnection): Peer {
  for (let look = 1; ; look++) {
    const socket = findSocket(connection);
    if (socket === null || socket.inode === NO_PROCESS) return socket === null ? null : "gone";
    const holders = numbersIn("/proc").filter((pid) => holdsSocket(pid, `socket:[${socket.inode}]`));
    if (holders.length > 0) return holders;
    if (look === LOOKS) return socket.account === process.getuid?.() ? "hidden" : null;
    // It may be ending: its files are closed before the kernel says so, and that takes a moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_TIME);
  }
}

const LOOKS = 4;
const EXIT_TIME = 20;
/** No process has the socket any more. */
const NO_PROCESS = "0";

/** The socket at the other end; null where it is not told. */
function findSocket(connection: LocalConnection): FoundSocket | null {
  const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap((path) => readTable(path) ?? []);
  if (tables.length === 0) return null;
  const found = tables.map((table) => socketIn(table, connection)).find((socket) => socket !== null);
  return found ?? { inode: NO_PROCESS, account: 0 };
}

function socketIn(table: string, { localPort, remotePort }: LocalConnection): FoundSocket | null {
  for (const line of table.split("\n")) {
    const fields = line.trim().split(/\s+/);
    const [, own = "", other = ""] = fields;
    if (portOf(own) === remotePort && portOf(other) === localPort)
      return { inode: fields[9] ?? NO_PROCESS, account: Number(fields[7]) };
  }
  return null;
}

/** `0100007F:1194`. */
function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
}

function holdsSocket(pid: number, socket: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return numbersIn(folder).some((descriptor) => linkAt(`${folder}/${descriptor}`) === socket);
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}

/** Programs of other accounts cannot be looked into. */
function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
