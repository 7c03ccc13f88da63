import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { DiagnosticCode } from "../protocol/diagnostic.ts";
import { AppError } from "../shared/app-error.ts";
import { plainReason } from "../shared/plain-reason.ts";
import type { Terminal } from "./terminal.ts";

/** The text of an input, or why there is none; then with what could be made out of it. */
export type InputText =
  | { readonly text: string; readonly refused: null }
  | { readonly text: ""; readonly refused: InputRefusal; readonly seen: string };

export interface InputRefusal {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string;
}

/** Reads a file, or standard input for `-`; never more than the limit and one byte. Of a larger file both ends are seen. */
export function readInput(path: string, limit: number, terminal: Terminal): InputText {
  const bytes = path === "-" ? terminal.stdin(limit) : readBytes(path, limit);
  const read = decode(bytes, limit);
  if (path === "-" || read.refused === null || read.refused.code !== "too-large") return read;
  return { ...read, seen: `${decodeEnd(bytes.subarray(0, SEEN_BYTES))}\n\n${readEnd(path)}` };
}

/** So much of each end of a file that is too large is looked at for signs of a handoff. */
const SEEN_BYTES = 65_536;

function readEnd(path: string): string {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(SEEN_BYTES);
    const read = readSync(file, buffer, 0, SEEN_BYTES, Math.max(0, fstatSync(file).size - SEEN_BYTES));
    return decodeEnd(buffer.subarray(0, read));
  } finally {
    closeSync(file);
  }
}

function decodeEnd(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  return text.includes("\0") ? "" : text;
}

function readBytes(path: string, limit: number): Uint8Array {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    if (fstatSync(file).isDirectory()) throw new AppError("cannot-read", `${path} is a folder.`, "Name a file.");
    return readUpTo(file, limit + 1, fstatSync(file).size);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "cannot-read",
      `${path} cannot be read: ${reason(error)}.`,
      "Check the path and its permissions.",
    );
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Reads until the end or the limit; the size is only a first guess, for pipes have none. */
export function readUpTo(file: number, max: number, expected: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(Math.min(max, Math.max(expected + 1, 65_536)));
  let length = 0;
  for (;;) {
    if (length === buffer.length) {
      if (length >= max) break;
      buffer = Buffer.concat([buffer], Math.min(max, buffer.length * 2));
    }
    const read = readAgain(file, buffer, length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** A terminal or pipe that is not ready yet says EAGAIN; the end of a closed pipe may be EOF. */
function readAgain(file: number, buffer: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(file, buffer, at, buffer.length - at, null);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function reason(error: unknown): string {
  return plainReason(error);
}

function decode(bytes: Uint8Array, limit: number): InputText {
  if (bytes.length > limit) {
    return refuse("too-large", `The text is larger than ${limit} bytes.`, "Hand over less, or raise --max-bytes.");
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return refuse("wrong-encoding", "The text is UTF-16, not UTF-8.", "Save it as UTF-8.");
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  if (!text.includes("\uFFFD") || isUtf8(bytes)) return { text, refused: null };
  if (bytes.includes(0))
    return refuse("binary", "This is a binary file, not text.", "Name the file that holds the handoff.");
  return refuse("wrong-encoding", "The text is not UTF-8.", "Save it as UTF-8.", text);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function refuse(code: DiagnosticCode, message: string, hint: string, seen = ""): InputText {
  return { text: "", refused: { code, message, hint }, seen };
}
