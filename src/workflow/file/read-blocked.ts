import { type JsonPath, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import type { Action, Workflow } from "../definition.ts";
import { PERSON, REASONS_FOR_A_PERSON } from "./defaults.ts";
import { recordOr } from "./loose-values.ts";
import type { Problems } from "./problems.ts";
import { readAction } from "./read-action.ts";
import { taskId } from "./words.ts";

/** The table of blocked work with the rows it always has. Each place holds a word: an agent, end, return, person, fail. */
export function readBlocked(value: JsonValue | undefined, problems: Problems): Workflow["blocked"] {
  const written = recordOr(value);
  const table: Record<string, Readonly<Record<string, Action>>> = {};
  for (const reason of Object.keys(written)) {
    checkKey(reason, "reason", ["blocked", reason], problems);
    table[reason] = readRow(written[reason], ["blocked", reason], problems);
  }
  for (const reason of REASONS_FOR_A_PERSON)
    if (ownValue(table, reason) === undefined) table[reason] = { default: PERSON };
  const rest = ownValue(table, "default") ?? {};
  return { ...table, default: { ...rest, default: ownValue(rest, "default") ?? PERSON } };
}

function readRow(value: JsonValue | undefined, path: JsonPath, problems: Problems): Record<string, Action> {
  if (!isRecord(value)) {
    const action = readPlace(value, path, problems);
    return action === null ? {} : { default: action };
  }
  const row: Record<string, Action> = {};
  for (const domain of Object.keys(value)) {
    checkKey(domain, "domain", [...path, domain], problems);
    const action = readPlace(value[domain], [...path, domain], problems);
    if (action !== null) row[domain] = action;
  }
  return row;
}

function readPlace(value: JsonValue | undefined, path: JsonPath, problems: Problems): Action | null {
  if (typeof value === "string") return readAction(value, path, problems);
  problems.add({
    code: "wrong-type",
    path,
    message: "Blocked work goes to an agent, or to end, return, person or fail.",
    hint: "For example: { backend: backend-security, default: person }",
  });
  return null;
}

function checkKey(key: string, what: string, path: JsonPath, problems: Problems): void {
  if (taskId.accepts(key)) return;
  problems.add({
    code: "bad-format",
    path,
    atKey: true,
    message: `A ${what} is one word of at most 64 letters, digits, \`-\`, \`_\` and \`.\`.`,
    hint: "For example: security_concern",
  });
}
