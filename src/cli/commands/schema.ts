import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { canonicalSchema, editorModeline, jsonSchemaOf } from "../../protocol/json-schema.ts";
import { describeWorkflowFile } from "../../runtime/operations/load-workflow.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, dialectOperand, formatsHere, requireDialect } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

/** What else has a schema. */
const OTHERS = ["handoff", "workflow", "http"] as const;
export const SCHEMA_NAMES = [...DIALECT_NAMES, ...OTHERS] as const;

export const command: Command = {
  name: "schema",
  summary: "Print the JSON Schema of a dialect for editors",
  usage: "DIALECT|handoff|workflow|http",
  details: [
    `DIALECT is one of ${DIALECT_NAMES.join(", ")}, or a format of your own;`,
    "`handoff` is the canonical handoff that `baton read --json` prints.",
    "`workflow` is the workflow file that `baton run` takes; `http` the API of `baton serve`, as OpenAPI 3.1.",
    "Save it to a file, and put the line that --modeline FILE prints into your documents.",
    "XML is described as the record that its element is read into; editors cannot apply it to XML.",
  ],
  options: {
    modeline: { value: "FILE", about: "Print the line that makes an editor use this schema file." },
    ...HELP_OPTION,
  },
  run: schema,
};

async function schema(invocation: Invocation, terminal: Terminal): Promise<number> {
  const name = dialectOperand(command, invocation);
  const file = invocation.text("modeline");
  if (name === "handoff") {
    if (file !== undefined)
      throw usage(command, "--modeline is for a dialect: canonical handoffs are not written by hand.");
    terminal.out(printJsonLines(canonicalSchema()));
    return EXIT.fine;
  }
  if (name === "workflow") {
    terminal.out(
      file === undefined ? printJsonLines(describeWorkflowFile()) : `# yaml-language-server: $schema=${file}\n`,
    );
    return EXIT.fine;
  }
  if (name === "http") {
    if (file !== undefined)
      throw usage(command, "--modeline is for a document: the API description is not written by hand.");
    const { openApi } = await import("../../api/openapi.ts");
    terminal.out(printJsonLines(openApi(terminal.version)));
    return EXIT.fine;
  }
  const formats = await formatsHere(terminal);
  const dialect = requireDialect(command, name, "The dialect", formats, OTHERS);
  terminal.out(
    file === undefined ? printJsonLines(jsonSchemaOf(dialect, formats)) : `${editorModeline(dialect, file, formats)}\n`,
  );
  return EXIT.fine;
}
