import { type JsonPath, type JsonRecord, isRecord, printPath } from "../../shared/json-value.ts";
import type { ReportFinding } from "../dialect.ts";
import { isPrintedXml } from "../syntax/xml-document.ts";
import { namedFields } from "./format-conditions.ts";
import type { FieldModel, FormatModel } from "./format-model.ts";

/** Text where elements belong, and elements outside of their list: unknown content is kept, but this one is meant. */
export function reportMisplaced(
  document: JsonRecord,
  fields: readonly FieldModel[],
  { stands, closed }: Pick<FormatModel, "stands" | "closed">,
  report: ReportFinding,
): void {
  const root = stands.element ?? "";
  const lists = new Map<string, string>();
  for (const { name, value } of namedFields(fields).values())
    if (value.type === "list" && value.element !== null) lists.set(value.element, name);
  reportRecord(document, fields, [], { root, closed, lists, report });
}

interface Looking {
  readonly root: string;
  /** Unknown keys are reported as such. */
  readonly closed: boolean;
  /** The names of lists by the element of their entries. */
  readonly lists: ReadonlyMap<string, string>;
  readonly report: ReportFinding;
}

function reportRecord(record: JsonRecord, fields: readonly FieldModel[], path: JsonPath, looking: Looking): void {
  const { root, lists, report } = looking;
  for (const [key, value] of Object.entries(record)) {
    const place = [...path, key];
    const field = fields.find(({ name }) => name === key);
    const list = lists.get(key);
    if (field !== undefined) reportField(value, field, place, looking);
    else if (key === "@xmlns" && !looking.closed)
      report(place, `\`@xmlns\` is no field of the format: the namespace was not looked at.`, {
        code: "unknown-key",
        severity: "warning",
        atKey: true,
        hint: "Remove the attribute.",
      });
    else if (key === "#text")
      report(path, `\`${path.length === 0 ? root : printPath(path)}\` has text where its elements belong.`, {
        code: "wrong-type",
        hint: `Write it into one of ${fields.map(({ name }) => name).join(", ")}.`,
      });
    else if (list !== undefined)
      report(place, `\`${printPath(place)}\` stands outside of \`<${list}>\`.`, {
        code: "wrong-type",
        atKey: true,
        hint: `Write <${list}><${key}>...</${key}></${list}>.`,
      });
  }
}

function reportField(value: unknown, { value: model }: FieldModel, path: JsonPath, looking: Looking): void {
  if (model.type === "record" && isRecord(value)) reportRecord(value, model.fields, path, looking);
  if (model.type !== "list" || !Array.isArray(value)) return;
  for (const [index, item] of value.entries()) {
    const place = [...path, index];
    // Another element is kept as it was printed: the shape has reported it.
    if (!isPrintedXml(item)) reportField(item, model.item, place, looking);
  }
}
