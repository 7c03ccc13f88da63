// Writes docs/reference, and the type of a handoff, from the same data the program runs on. `--check` only compares
// (a test does).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMMON_ERRORS } from "../src/api/openapi.ts";
import type { ApiRoute, RequestFields } from "../src/api/route.ts";
import { ROUTES } from "../src/api/routes.ts";
import { loadCommands } from "../src/cli/command-table.ts";
import { CATALOG } from "../src/protocol/diagnostic-catalog.ts";
import type { Dialect } from "../src/protocol/dialect.ts";
import { DIALECTS } from "../src/protocol/dialects/registry.ts";
import { handoffShape } from "../src/protocol/handoff.ts";
import type { Field, RecordShape, Shape } from "../src/protocol/shape.ts";
import { handoffTypeText } from "./handoff-type.ts";

const folder = fileURLToPath(new URL("../docs/reference/", import.meta.url));
const HANDOFF_TYPE = fileURLToPath(new URL("../src/protocol/handoff-type.ts", import.meta.url));
const NOTE = "<!-- Written by `npm run reference`; do not edit. -->\n";

/** Every page by its name. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const dialect of Object.values(DIALECTS)) pages.set(`${dialect.name}.md`, dialectPage(dialect));
  pages.set("codes.md", codesPage());
  pages.set(
    "canonical-handoff.md",
    `${NOTE}\n# Canonical handoff\n\nWhat every dialect is read into, and what \`baton read --json\` prints. Items of lists are open: other keys stay on them.\n\n${fieldLines(handoffShape, "").join("\n")}\n`,
  );
  pages.set("commands.md", await commandsPage());
  pages.set("http.md", httpPage());
  return pages;
}

function dialectPage(dialect: Dialect): string {
  const rules = dialect.rules.map((rule) => `| ${rule.id} | ${rule.kind} | ${rule.severity} | ${cell(rule.says)} |`);
  const words = Object.entries(dialect.words).map(([outcome, word]) => `| ${outcome} | \`${word}\` |`);
  return `${NOTE}
# ${dialect.name}: ${dialect.title}

${dialect.container}

## Fields

${fieldLines(dialect.shape, "").join("\n")}

## Rules

Kind: Q required, C conditional, E enum, F format, T transport, B behaviour, I implied.

| rule | kind | severity | says |
|---|---|---|---|
${rules.join("\n")}

## Words for outcomes

Where the format lacks a word, a conversion writes the nearest weaker one and reports the loss.

| outcome | word |
|---|---|
${words.join("\n")}
`;
}

function fieldLines(shape: RecordShape, indent: string): string[] {
  return Object.entries(shape.fields).flatMap(([key, field]) => {
    const marks = [field.required ? "required" : "optional", field.rule === "canonical" ? "" : field.rule].filter(
      (mark) => mark !== "",
    );
    return [
      `${indent}- \`${key}\` (${marks.join(", ")}): ${field.about}${choices(field)}`,
      ...innerLines(field.shape, `${indent}  `),
    ];
  });
}

function choices(field: Field): string {
  const { shape } = field;
  if (shape.kind === "list" && shape.element !== undefined) return ` Each in an element \`<${shape.element}>\`.`;
  return shape.kind === "text" && shape.oneOf !== undefined
    ? ` One of ${shape.oneOf.map((word) => `\`${word}\``).join(", ")}.`
    : "";
}

function innerLines(shape: Shape, indent: string): string[] {
  if (shape.kind === "list") return innerLines(shape.item, indent);
  if (shape.kind === "nullable") return innerLines(shape.of, indent);
  return shape.kind === "record" ? fieldLines(shape, indent) : [];
}

function codesPage(): string {
  const rows = Object.entries(CATALOG).map(
    ([code, entry]) => `| \`${code}\` | ${cell(entry.title)} | ${cell(entry.about)} |`,
  );
  return `${NOTE}\n# Diagnostic codes\n\n\`baton explain CODE\` shows each with a right and a wrong example.\n\n| code | what | why |\n|---|---|---|\n${rows.join("\n")}\n`;
}

async function commandsPage(): Promise<string> {
  const sections = (await loadCommands()).map((command) => {
    const options = Object.entries(command.options).map(
      ([name, { value, about }]) => `| \`--${name}${value === undefined ? "" : ` ${value}`}\` | ${cell(about)} |`,
    );
    return `## baton ${command.name} ${command.usage}\n\n${command.summary}.\n\n${command.details.join("\n")}\n\n| option | what |\n|---|---|\n${options.join("\n")}\n`;
  });
  return `${NOTE}\n# Commands\n\nExit codes: 0 fine, 1 findings, 2 wrong usage, 3 configuration or I/O, 130 interrupted.\n\n${sections.join("\n")}`;
}

function httpPage(): string {
  const errors = Object.entries(COMMON_ERRORS).map(([status, about]) => `| ${status} | ${cell(about)} |`);
  return `${NOTE}
# HTTP

What \`baton serve\` answers; \`baton schema http\` and \`GET /api/openapi.json\` give the same as OpenAPI 3.1, with a schema for every answer. [HTTP](../spec/http.md) tells how requests are let in, and about live events and webhooks.

Every error is \`{ "error": { "code", "message", "hint" } }\`. Every route may answer so:

| status | when |
|---|---|
${errors.join("\n")}

${(ROUTES as readonly ApiRoute[]).map(routeSection).join("\n")}`;
}

function routeSection({ method, path, summary, query, body, answer, errors, token }: ApiRoute): string {
  const rows = [...Object.entries(query).map(queryRow), ...(body === null || body === "handoff" ? [] : bodyRows(body))];
  const table = rows.length === 0 ? "" : `| name | where | what |\n|---|---|---|\n${rows.join("\n")}\n\n`;
  const notes = [
    `Answers ${answer.status} with \`${answer.schema}\` (${answer.type})`,
    ...(errors.length === 0 ? [] : [`also ${errors.join(", ")}`]),
    ...(token === "run" ? ["takes the token of an attempt, too"] : []),
  ];
  return `## ${method} ${path}\n\n${summary}\n\n${table}${notes.join("; ")}.\n`;
}

function queryRow([name, wanted]: readonly [string, Field]): string {
  return `| \`${name}\` | query | ${cell(`${wanted.about} ${allowed(wanted)}`.trim())} |`;
}

function allowed(wanted: Field): string {
  const shape = wanted.shape.kind === "list" ? wanted.shape.item : wanted.shape;
  if (shape.kind === "text" && shape.oneOf !== undefined)
    return `One of ${shape.oneOf.map((word) => `\`${word}\``).join(", ")}.`;
  if (shape.kind === "text") return `Up to ${shape.maxLength} characters.`;
  const isCount = shape.kind === "number" && wanted.default !== undefined;
  return isCount ? `From ${shape.minimum}; ${JSON.stringify(wanted.default)} unless given.` : "";
}

function bodyRows(fields: RequestFields): string[] {
  return Object.entries(fields).map(
    ([name, wanted]) =>
      `| \`${name}\` | body, ${wanted.required ? "required" : "optional"} | ${cell(wanted.about)} ${allowed(wanted)} |`,
  );
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  const pages = [...(await referencePages())].map(([name, text]) => [join(folder, name), text] as const);
  for (const [path, text] of [...pages, [HANDOFF_TYPE, handoffTypeText()] as const]) {
    if (!check) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text)
      throw new Error(`${path} is out of date: npm run reference writes it`);
  }
}
