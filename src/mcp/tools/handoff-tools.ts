import { A2A } from "../../protocol/a2a-task.ts";
import { convertHandoffs } from "../../protocol/convert-handoff.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { fixHandoffs } from "../../protocol/fix-handoff.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { ReadOptions } from "../../protocol/reading.ts";
import { data } from "../../protocol/shape.ts";
import { bodyText } from "../../api/route.ts";
import { count } from "../../shared/count.ts";
import { type McpContext, formatsIn, knownDialect, shownLine } from "../context.ts";
import { LOOKS, type McpTool, defineTool } from "../surface.ts";

/** One character over what is read: the reader says with its own words that a text is too large. */
const MAX_TEXT = 1_048_577;
const MAX_DIAGNOSTICS = 50;

export const HANDOFF_TEXT = bodyText.required(
  "The handoff as it is written, or a message that holds it: JSON, YAML or XML, alone or in a fenced block.",
  MAX_TEXT,
);

const DIALECT = bodyText.optional(
  `Read it as this format instead of recognising it: ${DIALECT_NAMES.join(", ")}, or a format of this repository.`,
  100,
);

const findingShape = data.record({
  severity: data.text(),
  code: data.text(),
  /** Id of the rule of the format; null when the text itself cannot be read. */
  rule: data.nullable(data.text()),
  line: data.count(),
  column: data.count(),
  message: data.text(),
  hint: data.nullable(data.text()),
});

export const findingsFields = {
  diagnostics: data.list(findingShape),
  /** How many more there are than are listed. */
  more_diagnostics: data.count(),
};

export function shownFindings(diagnostics: readonly Diagnostic[]) {
  const shown = diagnostics.slice(0, MAX_DIAGNOSTICS).map(({ severity, code, rule, message, hint, range }) => ({
    severity,
    code,
    rule,
    line: range.start.line,
    column: range.start.column,
    message: shownLine(message, 2_000),
    hint: hint === null ? null : shownLine(hint, 2_000),
  }));
  return { diagnostics: shown, more_diagnostics: diagnostics.length - shown.length };
}

type Findings = ReturnType<typeof shownFindings>;

/** One line for each, as compilers print them. */
export function printFindings({ diagnostics, more_diagnostics: more }: Findings): string[] {
  const lines = diagnostics.map(
    ({ severity, line, column, message, hint, rule, code }) =>
      `${line}:${column} ${severity}: ${message}${hint === null ? "" : ` ${hint}`} [${rule ?? code}]`,
  );
  return more === 0 ? lines : [...lines, `(and ${more} more)`];
}

/** Check and convert handoffs. Nothing is stored, and nothing of the repository is run. */
export function handoffTools(context: McpContext): McpTool[] {
  return [validateTool(context), convertTool(context)];
}

function validateTool(context: McpContext): McpTool {
  return defineTool({
    name: "validate_handoff",
    title: "Validate a handoff",
    description:
      "Checks a handoff against the rules of its format and lists everything that is wrong, each with its line and how to mend it. Call it before you end your turn with a handoff. Whether its claims are true is not looked at.",
    hints: LOOKS,
    input: { text: HANDOFF_TEXT, dialect: DIALECT },
    output: data.record({
      valid: data.boolean(),
      /** Null when no format was recognised. */
      dialect: data.nullable(data.text()),
      handoffs: data.count(),
      /** How the last handoff says that the work ended; null when there is none. */
      outcome: data.nullable(data.text()),
      ...findingsFields,
      /** The text after all safe repairs, when it is valid then; null when there is nothing to repair so. */
      repaired: data.nullable(data.text()),
    }),
    answer: async ({ text, dialect }) => {
      const formats = formatsIn(context);
      const options: ReadOptions =
        dialect === undefined ? { formats } : { formats, dialect: knownDialect(dialect, formats) };
      const reading = readHandoffs(text, options);
      const repaired = reading.valid ? null : repair(text, options);
      const result = {
        valid: reading.valid,
        dialect: reading.dialect,
        handoffs: reading.handoffs.length,
        outcome: reading.handoffs.at(-1)?.handoff?.outcome ?? null,
        ...shownFindings(reading.diagnostics),
        repaired,
      };
      const verdict = result.valid
        ? `Valid: ${count(result.handoffs, "handoff")} in ${result.dialect ?? "no format"}.`
        : "Not valid. Mend what is listed, and validate again.";
      const help = repaired === null ? [] : ["These repairs can be made by themselves; the text is then:", repaired];
      return { data: result, text: [verdict, ...printFindings(result), ...help].join("\n") };
    },
  });
}

/** Only a text that is valid afterwards is offered. */
function repair(text: string, options: ReadOptions): string | null {
  const fixed = fixHandoffs(text, options);
  return fixed.applied.length > 0 && fixed.reading.valid ? fixed.text : null;
}

function convertTool(context: McpContext): McpTool {
  return defineTool({
    name: "convert_handoff",
    title: "Convert a handoff",
    description:
      "Writes a handoff in another format and lists everything that the other format has no field for. What it lacks is carried along and comes back when the handoff is converted back.",
    hints: LOOKS,
    input: {
      text: HANDOFF_TEXT,
      to: bodyText.required(
        `The format to write: ${[...DIALECT_NAMES, A2A].join(", ")}, or one of this repository.`,
        100,
      ),
      dialect: DIALECT,
    },
    output: data.record({
      /** Whether the format accepts what was written. */
      valid: data.boolean(),
      dialect: data.text(),
      /** Empty when the handoff that was given is not valid. */
      text: data.text(),
      ...findingsFields,
    }),
    answer: async ({ text, to, dialect }) => {
      const formats = formatsIn(context);
      const target = knownDialect(to, formats, [A2A]);
      const reading = readHandoffs(text, {
        formats,
        ...(dialect !== undefined && { dialect: knownDialect(dialect, formats) }),
      });
      const handoffs = reading.handoffs.flatMap(({ handoff }) => (handoff === null ? [] : [handoff]));
      if (!reading.valid || handoffs.length === 0) {
        const findings = shownFindings(reading.diagnostics);
        const lines = ["The handoff is not valid, so it was not converted.", ...printFindings(findings)];
        return {
          data: { valid: false, dialect: target, text: "", ...findings },
          text: lines.join("\n"),
          isError: true,
        };
      }
      const converted = convertHandoffs(handoffs, target, { formats, now: new Date().toISOString(), carry: true });
      const findings = shownFindings(converted.diagnostics);
      const result = { valid: converted.isValid, dialect: target, text: converted.text, ...findings };
      return { data: result, text: [converted.text, ...printFindings(findings)].join("\n") };
    },
  });
}
