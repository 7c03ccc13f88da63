import { type JsonRecord, isRecord } from "../../shared/json-value.ts";
import type { Dialect, Rule, Sample } from "../dialect.ts";
import { changeExample } from "./render-sample.ts";

/** The part of a rule's sample that the rule is about: only the top-level fields its samples touch. */
export function renderSnippet(dialect: Dialect, rule: Rule, sample: Sample): string {
  if ("text" in sample) return sample.text;
  const touched = new Set(
    [rule.right, rule.wrong].flatMap((other) => (other !== undefined && "set" in other ? Object.keys(other.set) : [])),
  );
  const roots = new Set([...touched].map((path) => path.split(".")[0] ?? ""));
  const document = changeExample(dialect.example, sample.set);
  const shown = roots.size === 0 ? document : pick(document, roots, touched);
  const block = dialect.print(shown);
  return dialect.syntax === "json"
    ? block
    : (dialect.wrap?.(block, { dialect: dialect.name, outcome: "done" }) ?? block);
}

/** For formats with one record inside, its touched fields; for the others the touched top-level ones. */
function pick(document: JsonRecord, roots: ReadonlySet<string>, touched: ReadonlySet<string>): JsonRecord {
  const kept = Object.fromEntries(Object.entries(document).filter(([key]) => roots.has(key) || key === "#root"));
  const inner = kept["handoff"];
  const names = new Set(
    [...touched].flatMap((path) => (path.startsWith("handoff.") ? [path.split(".")[1] ?? ""] : [])),
  );
  if (!isRecord(inner) || names.size === 0 || touched.has("handoff")) return kept;
  return { ...kept, handoff: Object.fromEntries(Object.entries(inner).filter(([key]) => names.has(key))) };
}
