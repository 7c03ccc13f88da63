import { resolve } from "node:path";
import type { Dialect } from "../protocol/dialect.ts";
import type { DialectName } from "../protocol/handoff.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../protocol/reading.ts";
import { type Verification, verifyFiles } from "../runtime/operations/verify-files.ts";
import { gateOf, defaultPolicy } from "../runtime/operations/verify-gates.ts";
import { openVerifyContext } from "./open-verify-context.ts";

/** A command that verification runs in the sandbox, on a clean copy of the files. */
export interface VerifyCommand {
  /** What it proves: test, lint, build, coverage and so on. */
  readonly name: string;
  /** Program and arguments; no shell is started. */
  readonly command: readonly string[];
  /** Paths of reports that it writes: JUnit, TAP, lcov and so on. */
  readonly reports?: readonly string[];
}

export interface VerifyOptions {
  /** A folder in the repository that the handoff speaks of; the current folder unless given. */
  readonly directory?: string;
  /** Path of the file that the text is from. Its name can decide the dialect, and the file is not counted as a change. */
  readonly path?: string;
  /** Reads the text as this dialect instead of finding out. */
  readonly dialect?: DialectName;
  /** Formats beside the five. */
  readonly formats?: readonly Dialect[];
  /** Revision at which the work began; found out unless given. */
  readonly base?: string;
  /** Commands to run. Without them, claims about tests, coverage and checks are unverifiable. */
  readonly gates?: readonly VerifyCommand[];
  /** Folders that git ignores and that the commands need, read-only. */
  readonly bring?: readonly string[];
  /** Ends the verification; it is then rejected with an AppError whose code is `interrupted`. */
  readonly signal?: AbortSignal;
}

export interface VerifiedText {
  /**
   * True only when the text is valid, no claim was refuted that the default policy refuses, and every command passed with
   * a usable result. It is what exit code 0 of `baton verify` says: claims may still be unverifiable.
   */
  readonly passed: boolean;
  readonly reading: Reading;
  /** Every claim with its verdict and evidence; null for a text that is not valid, of which nothing is verified. */
  readonly verification: Verification | null;
}

function readingOptions({ path, dialect, formats }: VerifyOptions): ReadOptions {
  return {
    ...(path !== undefined && { path }),
    ...(dialect !== undefined && { dialect }),
    ...(formats !== undefined && { formats }),
  };
}

/** Judges every claim of the handoffs in a text against the repository as it is now. Nothing in it is changed. */
export async function verifyHandoffs(text: string, options: VerifyOptions = {}): Promise<VerifiedText> {
  const { directory = process.cwd(), path, base = null, gates = [], bring = [] } = options;
  const given = readingOptions(options);
  const reading = readHandoffs(text, given);
  if (!reading.valid) return { passed: false, reading, verification: null };
  const place = path === undefined ? null : resolve(directory, path);
  const context = await openVerifyContext(directory);
  try {
    const verification = await verifyFiles(context, {
      files: [{ path: path ?? "-", place, text, handoffs: reading.handoffs, options: given }],
      gates: gates.map(({ name, command, reports = [] }) => gateOf(name, command, reports)),
      policy: defaultPolicy,
      bring,
      base,
      signal: options.signal ?? new AbortController().signal,
      onGate: () => undefined,
    });
    return { passed: hasPassed(verification), reading, verification };
  } finally {
    await context.close();
  }
}

function hasPassed({ handoffs, gates }: Verification): boolean {
  const claims = handoffs.flatMap((handoff) => handoff.claims);
  const isRefused = claims.some(
    ({ verdict, answer }) => verdict === "refuted" && (answer === "refuse" || answer === "ask"),
  );
  return !isRefused && gates.every(({ outcome }) => outcome === "passed");
}
