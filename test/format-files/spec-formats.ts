import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescribedDialect } from "../../src/protocol/format-file/described-dialect.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/spec/format-file.md"), "utf8");

/** The format files that the specification shows, by their names. */
export const SPEC_FORMATS: Readonly<Record<string, string>> = Object.fromEntries(
  [...PAGE.matchAll(/^```yaml\n(format: 1\nname: (\S+)\n[\s\S]*?)^```$/gm)].map((found) => [
    found[2] ?? "",
    found[1] ?? "",
  ]),
);

export const BUILD_REPORT_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  additionalProperties: false,
  required: ["agent", "result"],
  properties: {
    agent: { type: "string", minLength: 1, description: "Who built it.", examples: ["builder"] },
    result: { $ref: "#/$defs/result" },
    touched: {
      type: "array",
      items: {
        type: "object",
        required: ["file"],
        properties: { file: { type: "string", pattern: "^[^/].*$" }, lines: { type: ["integer", "null"], minimum: 0 } },
      },
    },
  },
  $defs: {
    result: {
      type: "object",
      required: ["state"],
      properties: { state: { enum: ["ok", "flaky", "broken"] }, text: { type: "string" } },
    },
  },
};

/** The same, opened. */
export function specDialects(): DescribedDialect[] {
  return Object.values(SPEC_FORMATS).map((text) => {
    const { dialect, diagnostics } = openFormat(text, { readSchema: () => JSON.stringify(BUILD_REPORT_SCHEMA) });
    if (dialect === null) throw new Error(JSON.stringify(diagnostics, null, 1));
    return dialect;
  });
}
