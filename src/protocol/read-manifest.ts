import type { LineTable } from "../shared/line-table.ts";
import { isRecord } from "../shared/json-value.ts";
import { checkShape } from "./check-shape.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { DocumentCheck } from "./document-check.ts";
import type { Limits } from "./limits.ts";
import { manifestShape } from "./manifest.ts";
import type { Reading } from "./reading.ts";
import { parseBlock, syntaxProblems } from "./syntax/parse-block.ts";

/** A MANIFEST.yaml is known, and looked over, but holds no handoff of its own. */
export function readManifest(text: string, limits: Limits, table: () => LineTable): Reading {
  const syntax = { name: "yaml", shape: manifestShape, mark: "feature_name" } as const;
  const parsed = parseBlock(text, syntax, limits);
  const diagnostics: Diagnostic[] = [];
  const add = (diagnostic: Omit<Diagnostic, "range" | "fix" | "rule">, start: number, end: number): void => {
    diagnostics.push({ ...diagnostic, rule: null, range: table().range(start, end), fix: null });
  };
  if (parsed === null || !isRecord(parsed.document)) {
    for (const problem of syntaxProblems(text, syntax, limits))
      add(
        { code: problem.code, severity: "error", message: problem.message, hint: problem.hint },
        problem.span.start,
        problem.span.end,
      );
    if (diagnostics.length === 0)
      add(
        {
          code: "wrong-type",
          severity: "error",
          message: "A manifest is one record of named fields.",
          hint: "Start with feature_name.",
        },
        0,
        1,
      );
    return { dialect: "output-json", valid: false, handoffs: [], diagnostics };
  }
  const check = new DocumentCheck(limits);
  checkShape(parsed.document, manifestShape, check, "manifest");
  const map = check.findings.length > 0 ? parsed.map() : null;
  for (const { code, message, hint, path, severity } of check.findings) {
    const span = map?.locate(path, false) ?? { start: 0, end: 0 };
    add({ code, severity: severity === "error" ? "error" : "warning", message, hint }, span.start, span.end);
  }
  const contributed = parsed.document["agents_contributed"];
  const count = Array.isArray(contributed) ? contributed.length : 0;
  add(
    {
      code: "manifest",
      severity: "info",
      message: `This is the manifest of a feature (${count} output${count === 1 ? "" : "s"}); it holds no handoff of its own.`,
      hint: "Validate the output files it names.",
    },
    0,
    1,
  );
  return {
    dialect: "output-json",
    valid: !diagnostics.some((diagnostic) => diagnostic.severity === "error"),
    handoffs: [],
    diagnostics,
  };
}
