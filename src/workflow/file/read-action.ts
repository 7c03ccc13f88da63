import { type JsonPath, type JsonRecord, type JsonValue, isRecord, printPath } from "../../shared/json-value.ts";
import type { Condition } from "../../shared/condition.ts";
import type { Action, Route } from "../definition.ts";
import { parseCondition } from "../parse-condition.ts";
import { DEFAULTS, PERSON } from "./defaults.ts";
import { MAX_CHOICES } from "./file-shape.ts";
import { type Problems, clipText, unknownKey } from "../../protocol/file-problems.ts";
import { workflowAgentName, isRouteWord } from "./words.ts";

/** A route has exactly one of these keys. */
export const ACTION_KEYS = ["to", "loop", "retry", "choose"] as const;
const ALL_KEYS = ["when", ...ACTION_KEYS, "then", "otherwise"];
export const MAX_RETRIES = 20;
const DEEPEST = 4;

const ONE_OF =
  "Write an agent, end, return, person or fail, or one of { to }, { loop }, { retry, then }, { choose, otherwise }.";

/** A word, a record, or a list of both. The first route whose condition holds is taken. */
export function readRoutes(value: JsonValue, path: JsonPath, problems: Problems): Route[] {
  if (!Array.isArray(value)) return [readRoute(value, path, problems)];
  if (value.length === 0)
    problems.add({ code: "no-route", path, message: `\`${printPath(path)}\` lists no route.`, hint: ONE_OF });
  return value.map((item, index) => readRoute(item, [...path, index], problems));
}

/** An invalid route keeps its place in the list, so that the indexes of the other routes stay correct. */
function readRoute(value: JsonValue, path: JsonPath, problems: Problems): Route {
  const when =
    isRecord(value) && value["when"] !== undefined ? readCondition(value["when"], [...path, "when"], problems) : null;
  return { when, action: readAction(value, path, problems, true) ?? PERSON };
}

/** An invalid condition is replaced by `false`, so that it causes no further errors. */
export function readCondition(value: JsonValue, place: JsonPath, problems: Problems): Condition {
  const parsed = typeof value === "string" ? parseCondition(value) : null;
  if (parsed === null)
    problems.add({
      code: "wrong-type",
      path: place,
      message: `\`${printPath(place)}\` must be text.`,
      hint: 'Write a condition in quotes, for example "open.blocking > 0".',
    });
  else if (parsed.problem !== null) {
    const { start, end, message, hint } = parsed.problem;
    problems.add({ code: "bad-condition", path: place, within: { start, end }, message, hint });
  }
  return parsed?.condition ?? { kind: "value", of: { kind: "literal", value: false } };
}

export function readAction(
  value: JsonValue | undefined,
  path: JsonPath,
  problems: Problems,
  conditional = false,
  depth = 0,
): Action | null {
  if (typeof value === "string") return readWord(value, path, problems);
  if (!isRecord(value) || depth > DEEPEST) {
    problems.add({ code: "wrong-type", path, message: `\`${printPath(path)}\` is not a route.`, hint: ONE_OF });
    return null;
  }
  const kinds = ACTION_KEYS.filter((key) => value[key] !== undefined);
  checkRecordKeys(value, kinds, path, problems, conditional);
  const [kind, ...others] = kinds;
  if (kind === undefined || others.length > 0) {
    const said = kind === undefined ? "does not say where to go" : `says both ${kinds.join(" and ")}`;
    problems.add({
      code: kind === undefined ? "no-route" : "inconsistent",
      path,
      message: `\`${printPath(path)}\` ${said}.`,
      hint: ONE_OF,
    });
    return null;
  }
  return readKind(kind, value, path, problems, depth);
}

function checkRecordKeys(
  value: JsonRecord,
  kinds: readonly string[],
  path: JsonPath,
  problems: Problems,
  conditional: boolean,
): void {
  const allowed = ALL_KEYS.filter((key) => conditional || key !== "when");
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) unknownKey(key, allowed, path, problems);
    const partner = key === "then" ? "retry" : key === "otherwise" ? "choose" : null;
    if (partner !== null && !kinds.includes(partner))
      problems.add({
        code: "inconsistent",
        path: [...path, key],
        atKey: true,
        message: `\`${key}\` belongs to \`${partner}\`, which is not here.`,
        hint: ONE_OF,
      });
  }
}

function readKind(
  kind: (typeof ACTION_KEYS)[number],
  value: JsonRecord,
  path: JsonPath,
  problems: Problems,
  depth: number,
): Action | null {
  const inner = (key: string): Action =>
    value[key] === undefined ? PERSON : (readAction(value[key], [...path, key], problems, false, depth + 1) ?? PERSON);
  switch (kind) {
    case "to":
      return readName(value["to"], [...path, "to"], problems, true);
    case "loop": {
      const target = readName(value["loop"], [...path, "loop"], problems, false);
      return target?.kind === "go" ? { kind: "loop", to: target.to } : null;
    }
    case "retry":
      return { kind: "retry", most: readCount(value["retry"], [...path, "retry"], problems), then: inner("then") };
    case "choose":
      return {
        kind: "choose",
        from: readChoices(value["choose"], [...path, "choose"], problems),
        otherwise: inner("otherwise"),
      };
  }
}

function readWord(word: string, path: JsonPath, problems: Problems): Action | null {
  if (isRouteWord(word)) return { kind: word };
  if (workflowAgentName.accepts(word)) return { kind: "go", to: word };
  const bare = word.replace(/^@/, "");
  problems.add({
    code: "bad-format",
    path,
    message: `\`${clipText(word)}\` is neither an agent's name nor one of end, return, person, fail.`,
    hint: bare !== word && workflowAgentName.accepts(bare) ? `Leave out the @: ${bare}.` : ONE_OF,
  });
  return null;
}

function readName(value: JsonValue | undefined, path: JsonPath, problems: Problems, words: boolean): Action | null {
  if (typeof value === "string" && (words || !isRouteWord(value))) return readWord(value, path, problems);
  const hint = words ? ONE_OF : "Write the name of an agent.";
  problems.add({ code: "wrong-type", path, message: `\`${printPath(path)}\` must name an agent.`, hint });
  return null;
}

function readCount(value: JsonValue | undefined, path: JsonPath, problems: Problems): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_RETRIES) return value;
  problems.add({
    code: typeof value === "number" ? "bad-format" : "wrong-type",
    path,
    message: `\`${printPath(path)}\` must be a whole number between 1 and ${MAX_RETRIES}.`,
    hint: "It is how often the same agent tries again.",
  });
  return DEFAULTS.gate.retry;
}

/** A handoff can choose an agent, `end` or `return`. */
function readChoices(value: JsonValue | undefined, path: JsonPath, problems: Problems): string[] {
  const choices = Array.isArray(value) ? value : [];
  if (choices.length === 0 || choices.length > MAX_CHOICES)
    problems.add({
      code: "wrong-type",
      path,
      message: `\`${printPath(path)}\` must be a list of 1 to ${MAX_CHOICES} agents that a handoff may choose from.`,
      hint: "For example: [tester, reviewer, end]",
    });
  return choices.slice(0, MAX_CHOICES).map((choice, index) => {
    const action = readName(choice, [...path, index], problems, true);
    if (action?.kind === "go") return action.to;
    if (action?.kind === "end" || action?.kind === "return") return action.kind;
    if (action !== null)
      problems.add({
        code: "not-allowed",
        path: [...path, index],
        message: "A handoff can choose an agent, end or return.",
        hint: "Put person or fail under `otherwise`.",
      });
    return "";
  });
}
