import { CATALOG } from "../../protocol/diagnostic-catalog.ts";
import { DIALECTS, type Formats } from "../../protocol/dialects/registry.ts";
import { renderSnippet } from "../../protocol/dialects/render-sample.ts";
import type { Dialect, Rule } from "../../protocol/dialect.ts";
import { ownValue } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { findRule, claimRules, describeClaim, dialectOfRule } from "../describe-rule.ts";
import { EXIT } from "../exit-code.ts";
import { display, fitLines } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, formatsHere } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "explain",
  summary: "Explain a rule or a diagnostic code with a right and a wrong example",
  usage: "CODE|RULE|FORMAT|claim/KIND",
  details: [
    "CODE is a diagnostic code such as missing-field, RULE a rule of a format such as 000-R07 or, of a format of your own,",
    "NAME/FIELD, KIND a kind of claim that baton verify judges, such as claim/file. FORMAT, the name of one, lists its",
    "rules. Without any, all are listed.",
  ],
  options: { json: { about: "Print JSON." }, ...HELP_OPTION },
  run: explain,
};

async function explain(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [asked, ...more] = invocation.operands;
  if (more.length > 0) throw usage(command, "Name one code or rule only.");
  if (asked === undefined) {
    display(terminal, listing(await formatsHere(terminal)));
    return EXIT.fine;
  }
  const formats = await formatsHere(terminal);
  const format = [...Object.values(DIALECTS), ...formats].find(({ name }) => name === asked.toLowerCase());
  if (format !== undefined) {
    if (invocation.has("json")) terminal.out(printJsonLines(formatLesson(format)));
    else display(terminal, printFormat(format));
    return EXIT.fine;
  }
  const lesson =
    ruleLesson(asked.toUpperCase(), formats) ??
    ruleLesson(asked, formats) ??
    codeLesson(asked.toLowerCase()) ??
    claimLesson(asked.toLowerCase());
  if (lesson === null) throw usage(command, `There is no code or rule "${asked}".`, nearHint(asked, formats));
  terminal.out(invocation.has("json") ? printJsonLines(lesson) : printLesson(lesson, terminal.room.out));
  return EXIT.fine;
}

interface Lesson {
  readonly id: string;
  readonly title: string;
  readonly severity: string | null;
  readonly about: string;
  readonly right: string | null;
  readonly wrong: string | null;
}

/** A format with its rules: each field of an own format has one, which says what it asks for. */
function formatLesson({ name, title, container, rules }: Dialect) {
  return { name, title, container, rules: rules.map(({ id, severity, says }) => ({ id, severity, says })) };
}

function printFormat(format: Dialect): string {
  const { name, title, container, rules } = formatLesson(format);
  return `${[`${name}: ${title}`, "", container, "", ...rules.map(ruleLine)].join("\n")}\n`;
}

function ruleLine({ id, severity, says }: Pick<Rule, "id" | "severity" | "says">): string {
  return `  ${id}  ${severity.padEnd(7)} ${says}`;
}

function ruleLesson(id: string, formats: Formats): Lesson | null {
  const found = findRule(id, formats);
  const dialect = dialectOfRule(id, formats);
  if (found === null || dialect === undefined) return null;
  const rule = { ...found, ...dialect.samplesOf?.(id) };
  const render = (sample: Rule["right"]): string | null =>
    sample === undefined
      ? null
      : (sample.path === undefined ? "" : `(${sample.path})\n`) + renderSnippet(dialect, rule, sample);
  return {
    id,
    title: rule.says,
    severity: rule.severity,
    about: `${dialect.title}. ${rule.hint ?? ""}`.trim(),
    right: render(rule.right),
    wrong: render(rule.wrong),
  };
}

function codeLesson(code: string): Lesson | null {
  const entry = ownValue(CATALOG, code);
  if (entry === undefined) return null;
  return { id: code, title: entry.title, severity: null, about: entry.about, right: entry.right, wrong: entry.wrong };
}

function claimLesson(id: string): Lesson | null {
  const described = describeClaim(id);
  if (described === null) return null;
  return { id, title: described.title, severity: null, about: described.help, right: null, wrong: null };
}

/** The examples stay as they are: they are to be copied. */
function printLesson(lesson: Lesson, width: number): string {
  const severity = lesson.severity === null ? "" : ` (${lesson.severity})`;
  const parts = [fitLines(`${lesson.id}${severity}: ${lesson.title}\n\n${lesson.about}`, width)];
  if (lesson.wrong !== null) parts.push("", "Wrong:", "", indent(lesson.wrong));
  if (lesson.right !== null) parts.push("", "Right:", "", indent(lesson.right));
  return `${parts.join("\n")}\n`;
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");
}

function listing(formats: Formats): string {
  const codes = Object.entries(CATALOG).map(([code, entry]) => `  ${code.padEnd(20)} ${entry.title}`);
  const rules = [...Object.values(DIALECTS), ...formats].flatMap((dialect) => [
    "",
    dialect.name,
    ...dialect.rules.map(ruleLine),
  ]);
  const claims = claimRules().map((id) => `  ${id.padEnd(20)} ${describeClaim(id)?.title ?? ""}`);
  return `Codes\n${codes.join("\n")}\n${rules.join("\n")}\n\nClaims\n${claims.join("\n")}\n`;
}

function nearHint(asked: string, formats: Formats): string {
  const known = [
    ...Object.keys(CATALOG),
    ...claimRules(),
    ...[...Object.values(DIALECTS), ...formats].flatMap(({ name, rules }) => [name, ...rules.map(({ id }) => id)]),
  ];
  const near = nearestWord(asked, known);
  return near === null ? "`baton explain` lists them all." : `Did you mean ${near}? \`baton explain\` lists them all.`;
}
