import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { extname, join } from "node:path";
import { type Leader, nestedMarks } from "./marker-file.ts";

/** An attempt whose processes are ended when this process is gone. */
export interface WatchedAttempt {
  readonly mark: string;
  /** Null until it has started. */
  readonly leader: Leader | null;
}

/** What the watchdog is told, one record a line. */
type WatchdogMessage = { readonly watch: WatchedAttempt } | { readonly forget: string };

const watched = new Map<string, WatchedAttempt>();
let watchdog: ChildProcess | null = null;

/**
 * Has an attempt watched by a process that outlives this one however it ends: when the pipe between them closes, it
 * ends the processes of all attempts that were not forgotten. One watchdog serves all attempts of this process.
 */
export function watchAttempt(attempt: WatchedAttempt): void {
  watched.set(attempt.mark, attempt);
  if (watchdog === null) startWatchdog();
  else tell({ watch: attempt });
}

export function forgetAttempt(mark: string): void {
  if (watched.delete(mark)) tell({ forget: mark });
}

/** Beside this file, among the sources as in the bundle. */
const PROGRAM = join(import.meta.dirname, `watchdog-process${extname(import.meta.filename)}`);

/** In a session of its own, so that no signal to our group or terminal ends it with us. It keeps nothing of ours open. */
function startWatchdog(): void {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: "/",
    env: nestedMarks(),
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    windowsHide: true,
  });
  watchdog = child;
  const gone = (): void => {
    if (watchdog === child) watchdog = null;
  };
  // Without one the attempts are ended by the next process that takes the run over.
  child.on("error", gone);
  child.on("exit", gone);
  child.stdin.on("error", gone);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  for (const attempt of watched.values()) tell({ watch: attempt });
}

function tell(message: WatchdogMessage): void {
  watchdog?.stdin?.write(`${JSON.stringify(message)}\n`);
}
