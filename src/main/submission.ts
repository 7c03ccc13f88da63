import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { HAS_PROCESS_TABLE, readProcess } from "../agents/process-group/process-table.ts";
import { attemptToken } from "../http/tokens.ts";
import { keptSecret } from "./kept-secret.ts";

/** Where the servers of a state folder say that they listen, each in a file of its own that is called like its port. */
const FOLDER = "servers";

/** A server that was killed could not take its address back: its process tells. */
interface Server {
  readonly file: string;
  readonly address: string;
  readonly pid: number;
  /** With it a process id is not mistaken for an older one; `-` where the system does not tell. */
  readonly startTime: string;
  readonly since: number;
}

/** With this an agent can hand in over HTTP; without a server it has a token and no address, which `tell` hears. */
export function submissionOf(
  stateFolder: string,
  run: string,
  attempt: string,
  notify: (message: string) => void,
): Record<string, string> {
  const token = tokenOfAttempt(stateFolder, run, attempt);
  const address = livingAddress(stateFolder, notify);
  return {
    BATON_SUBMIT_TOKEN: token,
    ...(address !== null && { BATON_SUBMIT_URL: `${address}/api/runs/${run}/handoffs` }),
  };
}

export function tokenOfAttempt(stateFolder: string, run: string, attempt: string): string {
  return attemptToken(keptSecret(stateFolder, "submit-secret"), run, attempt);
}

/** Clears away those of servers that are gone. Gives a function that takes this one back, and no other. */
export function submissionAddress(stateFolder: string, port: number, notify: (message: string) => void): () => void {
  for (const server of serversIn(stateFolder)) {
    if (isAlive(server)) continue;
    notify(`The server at ${server.address} (process ${server.pid}) was killed; its address is cleared away.`);
    rmSync(server.file, { force: true });
  }
  clearUnfinished(join(stateFolder, FOLDER));
  const file = join(stateFolder, FOLDER, String(port));
  const text = `http://127.0.0.1:${port} ${process.pid} ${startTimeOf(process.pid) ?? "-"} ${Date.now()}\n`;
  mkdirSync(join(stateFolder, FOLDER), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}.tmp`, text, { mode: 0o600, flag: "wx" });
  renameSync(`${file}.${process.pid}.tmp`, file);
  return () => {
    // Another server may have taken the port since and written its own file.
    if (readQuietly(file) === text) rmSync(file, { force: true });
  };
}

/** Of servers that were killed while they wrote. What is called like ours is an older one's, too. */
function clearUnfinished(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = /^\d{1,5}\.(\d{1,10})\.tmp$/.exec(name)?.[1];
    if (pid === undefined || (Number(pid) !== process.pid && startTimeOf(Number(pid)) !== null)) continue;
    rmSync(join(folder, name), { force: true, recursive: true });
  }
}

/** Our own where we serve: it lives as long as the agents that we start. Else the newest. */
function livingAddress(stateFolder: string, notify: (message: string) => void): string | null {
  const servers = serversIn(stateFolder);
  const living = servers.filter(isAlive);
  const [newest] = servers;
  if (living.length === 0 && newest !== undefined)
    notify(
      `The server at ${newest.address} (process ${newest.pid}) was killed: agents get no address to hand in over HTTP. \`baton serve\` starts another.`,
    );
  return (living.find(({ pid }) => pid === process.pid) ?? living[0])?.address ?? null;
}

/** The newest first. */
function serversIn(stateFolder: string): Server[] {
  const folder = join(stateFolder, FOLDER);
  return namesIn(folder)
    .filter((name) => /^\d{1,5}$/.test(name))
    .flatMap((name) => readServer(join(folder, name)) ?? [])
    .sort((left, right) => right.since - left.since);
}

function readServer(file: string): Server | null {
  const parts = /^(http:\/\/127\.0\.0\.1:(\d{1,5})) (\d{1,10}) (\d+|-) (\d+)\n$/.exec(readQuietly(file) ?? "");
  if (parts === null) return null;
  const [, address = "", port, pid, startTime = "", since] = parts;
  return port === basename(file) ? { file, address, pid: Number(pid), startTime, since: Number(since) } : null;
}

function isAlive({ pid, startTime }: Server): boolean {
  return startTimeOf(pid) === startTime;
}

/** Null when there is no such process. */
function startTimeOf(pid: number): string | null {
  if (HAS_PROCESS_TABLE) return readProcess(pid)?.startTime ?? null;
  try {
    process.kill(pid, 0);
    return "-";
  } catch (error) {
    // It is somebody else's, and there.
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "-" : null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const MAX_BYTES = 300;

/** Agents can write here: a pipe without a writer or a link to an endless file must not block us. */
function readQuietly(file: string): string | null {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) return null;
      const bytes = Buffer.alloc(MAX_BYTES);
      return bytes.toString("utf8", 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

const MAX_WAIT = 2_000;

interface FoundServer {
  readonly port: number;
  /** Without a token where that of the state folder does not open it. */
  readonly link: string;
}

/**
 * The server that another process keeps for this state, if it answers. Agents can write where the addresses are kept,
 * so it is sent only the token of the state folder, which any program that writes there can read as well.
 */
export async function findServer(stateFolder: string, mayShowToken: boolean): Promise<FoundServer | null> {
  const address = livingAddress(stateFolder, () => undefined);
  if (address === null) return null;
  const token = mayShowToken ? keptSecret(stateFolder, "server-token") : null;
  const status = await statusOf(`${address}/api/about`, token);
  const port = Number(new URL(address).port);
  if (status === 200 && token !== null) return { port, link: `${address}/?token=${token}` };
  return status === 401 ? { port, link: address } : null;
}

/** Null when there is no answer. */
async function statusOf(url: string, token: string | null): Promise<number | null> {
  try {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(MAX_WAIT) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}
