import type { Command, Invocation } from "../command.ts";
import { brokenFormatReports, checkFiles } from "../check-file.ts";
import { describeRule } from "../describe-rule.ts";
import { EXIT } from "../exit-code.ts";
import { FORMAT_NAMES, type FormatName, formatReport } from "../formats/choose-format.ts";
import { reportFiles } from "../formats/report.ts";
import { count } from "../../shared/count.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, READ_OPTIONS, namedFiles, readOptions, wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "validate",
  summary: "Check handoffs and list everything that is wrong with them",
  usage: "[PATH|-]...",
  details: [
    "PATH is a file, a folder or a glob; - is standard input. The dialect is recognised.",
    "In folders and globs, files without a handoff are skipped; a file that is named, or called handoff-*.json, must hold one.",
    "There, prompts, samples, schemas, templates and notes in prose are listed as documents, and not checked.",
    "Exit code: 0 all valid, 1 findings, 2 wrong usage, 3 a file cannot be read.",
  ],
  options: {
    format: { value: "FORMAT", choices: FORMAT_NAMES, about: "pretty (default), json, github, sarif or junit." },
    json: { about: "The same as --format json." },
    strict: { about: "Count every warning as an error." },
    "max-warnings": { value: "N", about: "Fail when there are more warnings than this." },
    ...READ_OPTIONS,
    ...HELP_OPTION,
  },
  run: validate,
};

async function validate(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length === 0) throw usage(command, "Name a file, a folder, a glob or - for standard input.");
  const max = wholeNumber(command, invocation, "max-warnings");
  const files = await namedFiles(command, invocation, terminal);
  const strict = invocation.has("strict");
  const options = { ...(await readOptions(command, invocation, terminal, files, true)), strict };
  const checked = checkFiles(files, options, terminal);
  const report = reportFiles([...checked, ...brokenFormatReports(options)]);
  terminal.out(
    await formatReport(formatName(invocation), report, {
      colour: terminal.colour.out,
      width: terminal.columns,
      room: terminal.room.out,
      describeRule: (id) => describeRule(id, options.formats),
      version: terminal.version,
    }),
  );
  const tooMany = max !== undefined && report.summary.warnings > max;
  if (tooMany)
    terminal.note(
      `baton: ${count(report.summary.warnings, "warning is", "warnings are")} more than the ${max} allowed.\n`,
    );
  return report.summary.invalid > 0 || tooMany ? EXIT.findings : EXIT.fine;
}

export function formatName(invocation: Invocation): FormatName {
  if (invocation.has("json")) return "json";
  return (invocation.text("format") as FormatName | undefined) ?? "pretty";
}
