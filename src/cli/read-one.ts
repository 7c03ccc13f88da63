import type { Handoff } from "../protocol/handoff.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { Reading } from "../protocol/reading.ts";
import { checkFile, shownPath } from "./check-file.ts";
import type { Command, Invocation } from "./command.ts";
import { describeRule } from "./describe-rule.ts";
import { formatReport } from "./formats/choose-format.ts";
import { type FileReport, summarise } from "./formats/report.ts";
import { usage } from "./parse-arguments.ts";
import { readInput } from "./read-input.ts";
import { readOptions } from "./shared-options.ts";
import type { Terminal } from "./terminal.ts";

export interface OneFile {
  readonly path: string;
  readonly text: string;
  readonly reading: Reading;
  readonly handoffs: readonly Handoff[];
}

/** Reads the one file a command works on. What is wrong goes to the notes; null when it is refused. */
export async function readOne(command: Command, invocation: Invocation, terminal: Terminal): Promise<OneFile | null> {
  const path = oneOperand(command, invocation);
  const options = readOptions(command, invocation);
  const input = readInput(path, options.maxBytes, terminal);
  if (input.refused !== null) {
    await noteReport(checkFile({ path, named: true }, options, terminal), terminal);
    return null;
  }
  const shown = shownPath(path);
  const reading = readHandoffs(input.text, path === "-" ? options : { ...options, path: shown });
  const handoffs = reading.handoffs.flatMap((read) => (read.handoff === null ? [] : [read.handoff]));
  const report: FileReport = {
    path: shown,
    dialect: reading.dialect,
    valid: reading.valid,
    skipped: false,
    handoffs: reading.handoffs.length,
    diagnostics: reading.diagnostics,
    text: input.text,
  };
  if (reading.diagnostics.length > 0) await noteReport(report, terminal);
  return reading.valid && handoffs.length > 0 ? { path, text: input.text, reading, handoffs } : null;
}

export function oneOperand(command: Command, invocation: Invocation): string {
  const [path, ...more] = invocation.operands;
  if (path === undefined) throw usage(command, "Name a file, or - for standard input.");
  if (more.length > 0) throw usage(command, `One file at a time; found ${invocation.operands.length}.`);
  return path;
}

export async function noteReport(report: FileReport, terminal: Terminal): Promise<void> {
  const text = await formatReport(
    "pretty",
    { files: [report], summary: summarise([report]) },
    { colour: terminal.colour.notes, width: terminal.columns, room: terminal.room.notes, describeRule },
  );
  terminal.note(text);
}
