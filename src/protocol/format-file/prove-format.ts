import { type JsonPath, type JsonValue, printPath } from "../../shared/json-value.ts";
import { checkField } from "../check-shape.ts";
import { DocumentCheck } from "../document-check.ts";
import type { Problems } from "../file-problems.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { dialectOf } from "./described-dialect.ts";
import { judgeSample } from "./judge-sample.ts";
import { namedFields } from "./format-conditions.ts";
import { type FieldModel, type FormatModel, isPlacedAt } from "./format-model.ts";
import { shapeOfField } from "./shape-of-format.ts";

/** Proves what can be proven of a format by itself: its example breaks no rule, and says what it should. */
export function proveFormat(format: FormatModel, problems: Problems): void {
  proveExample(format, problems);
  proveDefaults(format, problems);
}

function proveExample(format: FormatModel, problems: Problems): void {
  const dialect = dialectOf(format);
  const { source } = format;
  const { findings, problems: broken } = judgeSample(dialect, format.example);
  const first = findings.find(
    ({ finding }) => (finding.severity ?? "error") === "error" && !isWarned(format, finding.rule),
  );
  const why = broken[0]?.message ?? first?.finding.message;
  if (why === undefined) return;
  const { path, hint } = first?.finding ?? { path: [], hint: "" };
  const missing = first?.finding.lacks?.[0] ?? path;
  problems.add({
    code: "inconsistent",
    ...placeOfExample(source, missing, format),
    message: `The example breaks a rule of the format: ${why}`,
    hint: source["example"] === undefined ? exampleHint(missing, format, hint) : hint,
  });
}

/** Where the missing or wrong example is written. */
function exampleHint(path: JsonPath, { source, fields }: FormatModel, hint: string): string {
  const name = path.filter((step) => typeof step === "string").join(".");
  if (source["schema"] === undefined) return `Give \`${name}\` an \`example\` that fits. ${hint}`.trim();
  const place = namedFields(fields).get(name)?.is?.join(".");
  const mapped = place === undefined ? "" : `is: ${place}, `;
  return `Write in \`mapping\`: ${name}: { ${mapped}example: ... }; or \`examples\` in the schema, or a whole \`example\`.`;
}

function isWarned({ name, rules }: FormatModel, rule: string | null): boolean {
  return rules.some(({ id, severity }) => severity === "warning" && rule === `${name}/${id}`);
}

/** At the example that stands in the file, or at the field whose example is wrong or absent. */
function placeOfExample(
  source: FormatModel["source"],
  path: JsonPath,
  { fields }: FormatModel,
): { readonly path: JsonPath; readonly atKey?: true } {
  if (typeof source["example"] === "string") return { path: ["example"], atKey: true };
  if (source["example"] !== undefined) return { path: ["example", ...path] };
  const steps = path.filter((step): step is string => typeof step === "string");
  const named = namedFields(fields);
  for (let length = steps.length; length > 0; length--) {
    const field = named.get(steps.slice(0, length).join("."));
    if (field !== undefined) return { path: field.at, atKey: true };
  }
  return { path: [source["schema"] === undefined ? "fields" : "schema"], atKey: true };
}

/** What is filled in must be a value that the field takes. */
function proveDefaults(format: FormatModel, problems: Problems): void {
  for (const field of everyField(format.fields))
    for (const key of ["default", "fill"] as const) {
      const wrong = wrongValue(field, field[key], format);
      if (wrong === null) continue;
      problems.add({
        code: "inconsistent",
        path: [...field.at, key],
        message: `\`${key}\` of \`${printPath([field.name])}\` is no value of the field. ${wrong}`,
        hint: "Write a value that the field takes.",
      });
    }
}

/** Also those of entries of lists. */
function everyField(fields: readonly FieldModel[]): FieldModel[] {
  return fields.flatMap((field) => {
    const { value } = field;
    const inner = value.type === "record" ? value.fields : value.type === "list" ? [value.item] : [];
    return [field, ...everyField(inner)];
  });
}

function wrongValue(field: FieldModel, given: JsonValue | undefined, { syntax, name }: FormatModel): string | null {
  if (given === undefined) return null;
  const words = field.value.type === "text" && isPlacedAt(field, "outcome") ? field.value.words : null;
  if (words !== null && !words.some(({ word }) => word === given)) return "It is none of its words.";
  const check = new DocumentCheck(DEFAULT_LIMITS);
  const written = syntax === "xml" && typeof given !== "object" ? String(given) : given;
  checkField(written, shapeOfField(field, { syntax, prefix: `${name}/` }), check);
  return check.findings[0]?.message ?? null;
}
