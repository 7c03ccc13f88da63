import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { ConditionVocabulary } from "../../shared/parse-condition.ts";
import { type Problems, unknownKey } from "../file-problems.ts";
import { readFormatCondition } from "./format-conditions.ts";
import { FORMAT_LIMITS, RULE_KEYS } from "./field-keys.ts";
import type { RuleModel } from "./format-model.ts";
import { sentenceAt } from "./plain-values.ts";

const HINT =
  "For example: { says: A blocked handoff names what blocks it., when: \"state == 'blocked'\", require: [blockers] }";
const KEYS: readonly string[] = RULE_KEYS;

/** Conditions between fields. */
export function readRules(
  value: JsonValue | undefined,
  vocabulary: ConditionVocabulary,
  problems: Problems,
): RuleModel[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > FORMAT_LIMITS.rules) {
    const message = `\`rules\` is a list of at most ${FORMAT_LIMITS.rules} conditions between fields.`;
    problems.add({ code: "wrong-type", path: ["rules"], message, hint: HINT });
    return [];
  }
  const ids = new Set<string>();
  return value.flatMap((item, index): RuleModel[] => {
    const at = ["rules", index];
    if (isRecord(item)) return [readRule(item, index, vocabulary, problems, ids)];
    problems.add({ code: "wrong-type", path: at, message: "This is no rule.", hint: HINT });
    return [];
  });
}

function readRule(
  rule: JsonRecord,
  index: number,
  vocabulary: ConditionVocabulary,
  problems: Problems,
  ids: Set<string>,
): RuleModel {
  const at = ["rules", index];
  for (const key of Object.keys(rule)) if (!KEYS.includes(key)) unknownKey(key, KEYS, at, problems);
  const says = sentenceAt(rule, "says", at, problems);
  if (says === "")
    problems.add({
      code: "missing-field",
      path: at,
      message: "A rule says in a sentence what it asks for.",
      hint: HINT,
    });
  const [require, forbid] = [
    fieldsAt(rule, "require", at, vocabulary, problems),
    fieldsAt(rule, "forbid", at, vocabulary, problems),
  ];
  const condition = (key: string) =>
    rule[key] === undefined ? null : readFormatCondition(rule[key], [...at, key], vocabulary, problems);
  if (rule["require"] === undefined && rule["forbid"] === undefined && rule["check"] === undefined)
    problems.add({
      code: "missing-field",
      path: at,
      message: "A rule has `require`, `forbid` or `check`.",
      hint: HINT,
    });
  return {
    id: readId(rule["id"], index, [...at, "id"], problems, ids),
    at,
    says,
    severity: readSeverity(rule["severity"], [...at, "severity"], problems),
    when: condition("when"),
    require,
    forbid,
    check: condition("check"),
  };
}

function readId(
  value: JsonValue | undefined,
  index: number,
  path: JsonPath,
  problems: Problems,
  ids: Set<string>,
): string {
  const id = typeof value === "string" ? value : `rule-${index + 1}`;
  if (value !== undefined && (typeof value !== "string" || !/^[a-z][a-z0-9-]{0,39}$/.test(value)))
    problems.add({
      code: "bad-format",
      path,
      message: "This is no id of a rule.",
      hint: "Use lower case, digits and hyphens, such as blocked-names-why.",
    });
  else if (ids.has(id))
    problems.add({
      code: "inconsistent",
      path,
      message: `Another rule has the id \`${id}\`.`,
      hint: "Give each rule an id of its own.",
    });
  ids.add(id);
  return id;
}

function readSeverity(value: JsonValue | undefined, path: JsonPath, problems: Problems): "error" | "warning" {
  if (value !== undefined && value !== "error" && value !== "warning")
    problems.add({
      code: "not-allowed",
      path,
      message: "This is no severity of a rule.",
      hint: "Write error or warning.",
    });
  return value === "warning" ? "warning" : "error";
}

function fieldsAt(
  rule: JsonRecord,
  key: string,
  at: JsonPath,
  { names }: ConditionVocabulary,
  problems: Problems,
): string[] {
  const value = rule[key];
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0)
    problems.add({ code: "wrong-type", path: [...at, key], message: `\`${key}\` names no field.`, hint: HINT });
  return list.flatMap((item, index) => {
    const path = Array.isArray(value) ? [...at, key, index] : [...at, key];
    if (typeof item === "string" && names.includes(item)) return [item];
    if (typeof item === "string") problems.unknownName("field", item, names, path);
    else problems.add({ code: "wrong-type", path, message: `\`${key}\` names fields.`, hint: HINT });
    return [];
  });
}
