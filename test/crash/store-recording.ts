import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** What a process did to the files of one folder, in order; and what it said. */
export type DiskCall =
  | { readonly kind: "create" | "unlink" | "sync"; readonly file: string }
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: string; readonly size: number }
  | { readonly kind: "sync-folder" }
  | { readonly kind: "said"; readonly text: string };

const CALLS = "trace=openat,write,pwrite64,fsync,fdatasync,ftruncate,unlink,close";

/** Runs a script under strace. Only its main thread is seen, which is where `node:sqlite` writes. */
export function recordCalls(script: string, args: readonly string[], database: string, trace: string): DiskCall[] {
  const strace = ["-e", CALLS, "-xx", "-s", "1000000", "-o", trace, process.execPath, script, database, ...args];
  execFileSync("strace", strace, { stdio: ["ignore", "ignore", "inherit"] });
  return readTrace(readFileSync(trace, "latin1"), dirname(database));
}

function readTrace(trace: string, folder: string): DiskCall[] {
  const open = new Map<string, string>();
  const existing = new Set<string>();
  const calls: DiskCall[] = [];
  for (const line of trace.split("\n")) {
    const [, name = "", args = "", result = ""] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(line) ?? [];
    if (name === "" || result.startsWith("-")) continue;
    if (name === "openat") readOpen(args, result);
    else if (name === "unlink") readUnlink(args);
    else readCall(name, args);
  }
  return calls;

  function readOpen(args: string, result: string): void {
    const path = decode(args).toString();
    open.delete(result);
    if (dirname(path) !== folder && path !== folder) return;
    open.set(result, path);
    if (!args.includes("O_CREAT") || existing.has(path)) return;
    existing.add(path);
    calls.push({ kind: "create", file: basename(path) });
  }

  function readUnlink(args: string): void {
    const path = decode(args).toString();
    if (existing.delete(path)) calls.push({ kind: "unlink", file: basename(path) });
  }

  function readCall(name: string, args: string): void {
    const handle = /^\d+/.exec(args)?.[0] ?? "";
    if (name === "write" && handle === "1") calls.push({ kind: "said", text: decode(args).toString() });
    const path = open.get(handle);
    if (path === undefined) return;
    const file = basename(path);
    const last = Number(/(\d+)$/.exec(args)?.[1]);
    if (name === "close") open.delete(handle);
    else if (name === "pwrite64") calls.push({ kind: "write", file, offset: last, bytes: decode(args) });
    else if (name === "ftruncate") calls.push({ kind: "truncate", file, size: last });
    else if (name === "write") throw new Error(`${file} was written without an offset: the recording misses it`);
    else if (path === folder) calls.push({ kind: "sync-folder" });
    else calls.push({ kind: "sync", file });
  }
}

/** The first quoted text of the arguments: `"\x2f\x64"` and so on, each byte as four characters. */
function decode(args: string): Buffer {
  const start = args.indexOf('"') + 1;
  const quoted = args.slice(start, args.indexOf('"', start));
  return Buffer.from(quoted.replaceAll("\\x", ""), "hex");
}
