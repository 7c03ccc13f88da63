import { compareDiagnostics, type Diagnostic, type Severity } from "../../protocol/diagnostic.ts";
import { defuseLogCommands, printable } from "../../shared/printable.ts";
import { drawFrame, type FrameLine } from "./draw-frame.ts";
import {
  checkedFiles,
  count,
  describeSummary,
  type FileReport,
  type FormatOptions,
  labelDiagnostic,
  type Report,
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
  const lines = checkedFiles(report).flatMap((file) => printFile(file, options.width, paint));
  return [...lines, printSummary(report)].map((line) => `${defuseLogCommands(line)}\n`).join("");
}

function printFile(file: FileReport, width: number, paint: Paint): string[] {
  if (file.diagnostics.length === 0) return [printVerdict(file, paint)];
  return file.diagnostics
    .toSorted(compareDiagnostics)
    .flatMap((diagnostic) => [...printDiagnostic(file, diagnostic, width, paint), ""]);
}

function printVerdict({ path, dialect, valid, handoffs }: FileReport, paint: Paint): string {
  const facts = [...(dialect === null ? [] : [printable(dialect)]), count(handoffs, "handoff")];
  const verdict = valid ? paint("ok", "ok") : paint("error", "invalid");
  return `${verdict} ${printable(path)} ${paint("faint", `(${facts.join(", ")})`)}`;
}

function printDiagnostic(file: FileReport, diagnostic: Diagnostic, width: number, paint: Paint): string[] {
  const { severity, range, hint, fix } = diagnostic;
  // Defused before it is painted: afterwards the line no longer begins with the path.
  const place = defuseLogCommands(`${printable(file.path)}:${range.start.line}:${range.start.column}`);
  const label = paint("faint", `[${printable(labelDiagnostic(diagnostic))}]`);
  const title = `${paint("path", place)}  ${paint(severity, severity)}  ${printable(diagnostic.message)}  ${label}`;
  const frame = drawFrame(file.text, range, width);
  const margin = " ".repeat((frame[0]?.gutter.length ?? 0) + 2);
  return [
    title,
    ...frame.map((line) => printFrameLine(line, severity, paint)),
    ...(hint === null ? [] : printRemark("hint", hint, margin, paint)),
    ...(fix === null ? [] : printRemark("fix", fix.title, margin, paint)),
  ];
}

function printFrameLine({ kind, gutter, body }: FrameLine, severity: Severity, paint: Paint): string {
  const shown = kind === "source" ? body : paint(kind === "caret" ? severity : "faint", body);
  return ` ${paint("faint", `${gutter} |`)}${body === "" ? "" : ` ${shown}`}`;
}

function printRemark(name: string, text: string, margin: string, paint: Paint): string[] {
  const lead = `= ${name}: `;
  const [first = "", ...rest] = (/[\r\n]/.test(text) ? text.split(/\r\n|\r|\n/) : [text]).map(printable);
  return [
    `${margin}${paint("faint", lead)}${first}`,
    // A bar in front, so that no text of the file stands where ours would.
    ...rest.map((line) => `${margin}${paint("faint", "|".padEnd(lead.length))}${line}`.trimEnd()),
  ];
}

function printSummary(report: Report): string {
  const fixes = checkedFiles(report).flatMap((file) =>
    file.diagnostics.filter((diagnostic) => diagnostic.fix !== null),
  );
  const advice = fixes.length === 0 ? "" : `; ${fixes.length} can be repaired: run baton fix`;
  return describeSummary(report.summary) + advice;
}
