import { count } from "../../shared/count.ts";
import { compareDiagnostics, type Diagnostic, type Severity } from "../../protocol/diagnostic.ts";
import { defuseLines, defuseLogCommands, printable } from "../../shared/printable.ts";
import { drawFrame, type FrameLine } from "./draw-frame.ts";
import {
  checkedFiles,
  describeReport,
  type FileReport,
  type FormatOptions,
  labelDiagnostic,
  type Report,
  toldFiles,
} from "./report.ts";

type PrettyOptions = Pick<FormatOptions, "colour" | "width">;
type Style = Severity | "ok" | "path" | "faint";
type Paint = (style: Style, text: string) => string;

const STYLES: Record<Style, string> = {
  error: "1;31",
  warning: "1;33",
  info: "1;36",
  ok: "32",
  path: "1",
  faint: "2",
};

/** For people: what is wrong, where exactly, and what to do about it. */
export function formatPretty(report: Report, options: PrettyOptions): string {
  const paint: Paint = options.colour ? (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m` : (_, text) => text;
  const lines: string[] = [];
  for (const file of toldFiles(report)) printFile(file, options.width, paint, lines);
  lines.push(printSummary(report), "");
  return defuseLines(lines);
}

function printFile(file: FileReport, width: number, paint: Paint, lines: string[]): void {
  const path = printable(file.path);
  if (file.diagnostics.length === 0) {
    lines.push(printVerdict(file, path, paint));
    return;
  }
  for (const diagnostic of file.diagnostics.toSorted(compareDiagnostics)) {
    printDiagnostic(file.text, path, diagnostic, width, paint, lines);
    lines.push("");
  }
}

function printVerdict({ dialect, valid, handoffs }: FileReport, path: string, paint: Paint): string {
  const facts = [...(dialect === null ? [] : [printable(dialect)]), count(handoffs, "handoff")];
  const verdict = valid ? paint("ok", "ok") : paint("error", "invalid");
  return `${verdict} ${path} ${paint("faint", `(${facts.join(", ")})`)}`;
}

function printDiagnostic(
  text: string,
  path: string,
  diagnostic: Diagnostic,
  width: number,
  paint: Paint,
  lines: string[],
): void {
  const { severity, range, hint, fix } = diagnostic;
  // Defused before it is painted: afterwards the line no longer begins with the path.
  const place = defuseLogCommands(`${path}:${range.start.line}:${range.start.column}`);
  const label = paint("faint", `[${printable(labelDiagnostic(diagnostic))}]`);
  lines.push(`${paint("path", place)}  ${paint(severity, severity)}  ${printable(diagnostic.message)}  ${label}`);
  const frame = drawFrame(text, range, width);
  for (const line of frame) lines.push(printFrameLine(line, severity, paint));
  const margin = " ".repeat((frame[0]?.gutter.length ?? 0) + 2);
  if (hint !== null) printRemark("hint", hint, margin, paint, lines);
  if (fix !== null) printRemark("fix", fix.title, margin, paint, lines);
}

function printFrameLine({ kind, gutter, body }: FrameLine, severity: Severity, paint: Paint): string {
  const shown = kind === "source" ? body : paint(kind === "caret" ? severity : "faint", body);
  return ` ${paint("faint", `${gutter} |`)}${body === "" ? "" : ` ${shown}`}`;
}

function printRemark(name: string, text: string, margin: string, paint: Paint, lines: string[]): void {
  const lead = `= ${name}: `;
  const isLine = !text.includes("\n") && !text.includes("\r");
  const [first = "", ...rest] = isLine ? [text] : text.split(/\r\n|\r|\n/);
  lines.push(`${margin}${paint("faint", lead)}${printable(first)}`);
  // A bar in front, so that no text of the file stands where ours would.
  for (const line of rest)
    lines.push(`${margin}${paint("faint", "|".padEnd(lead.length))}${printable(line)}`.trimEnd());
}

function printSummary(report: Report): string {
  let fixes = 0;
  for (const file of checkedFiles(report)) for (const { fix } of file.diagnostics) if (fix !== null) fixes++;
  const advice = fixes === 0 ? "" : `; ${fixes} can be repaired: run baton fix`;
  return describeReport(report) + advice;
}
