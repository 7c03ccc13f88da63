import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import type { LocatedFinding } from "./judge-block.ts";

/**
 * The document without the values whose type is wrong. Where a rule only warns, such a value does not stop
 * the handoff, but it must not be handed on either: whoever reads a handoff relies on its types.
 */
export function withoutMistyped(document: JsonRecord, findings: readonly LocatedFinding[]): JsonRecord {
  const paths = findings.flatMap(({ finding }) => (finding.code === "wrong-type" ? [finding.path] : []));
  // Later items first: taking one out of a list moves those behind it.
  return paths.toReversed().reduce((rest, path) => without(rest, path) as JsonRecord, document);
}

function without(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  const [step, ...rest] = path;
  if (Array.isArray(value) && typeof step === "number") {
    const inner = rest.length === 0 ? undefined : without(value[step], rest);
    return value.flatMap((item, index) => (index !== step ? [item] : inner === undefined ? [] : [inner]));
  }
  if (!isRecord(value) || step === undefined) return value;
  const { [step]: found, ...others } = value;
  if (found === undefined) return value;
  const inner = rest.length === 0 ? undefined : without(found, rest);
  return inner === undefined ? others : { ...value, [step]: inner };
}
