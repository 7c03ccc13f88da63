import type { TextFormat } from "../../protocol/format.ts";
import type { Action } from "../definition.ts";

/** Actions that a route names by one word: those without fields. */
type RouteWord = {
  [K in Action["kind"]]: keyof Extract<Action, { kind: K }> extends "kind" ? K : never;
}[Action["kind"]];

/** Targets of a route other than agents. A table, so that the compiler asks for every word. */
const ROUTE_TARGETS: Readonly<Record<RouteWord, true>> = { end: true, return: true, person: true, fail: true };
export const ROUTE_WORDS = Object.keys(ROUTE_TARGETS) as readonly RouteWord[];

export function isRouteWord(word: string): word is RouteWord {
  return (ROUTE_WORDS as readonly string[]).includes(word);
}

/** Reserved words: in handoffs they mean that there is no next agent, or name the program that runs the workflow. */
const TAKEN = new Set<string>([...ROUTE_WORDS, "complete", "none", "null", "orchestrator", "default"]);

export function isReserved(name: string): boolean {
  return TAKEN.has(name.toLowerCase());
}

function textFormat(name: string, description: string, pattern: RegExp, example: string): TextFormat {
  const accepts = (text: string): boolean => pattern.test(text);
  // Only the pattern decides: a `|` or a bracket in a command does not make it an unfilled template.
  return { name, description, pattern: pattern.source, example, accepts, neverTemplate: true };
}

/** Without `@`: formats that write one mean the same agent. */
export const workflowAgentName = textFormat(
  "agent-name",
  "a name of at most 64 letters, digits, `-`, `_` and `.` that starts with a letter",
  /^[A-Za-z][\w.-]{0,63}$/,
  "reviewer-agent",
);

export const taskId = textFormat(
  "task-id",
  "an id of at most 64 letters, digits, `-`, `_` and `.`",
  /^\w[\w.-]{0,63}$/,
  "task-1",
);

export const duration = textFormat(
  "duration",
  "a duration such as 500ms, 30s, 10m, 2h or 1d",
  /^(?!0+[a-z])\d{1,7}(?:ms|s|m|h|d)$/,
  "10m",
);

export const durationOrNone = textFormat(
  "duration-or-none",
  "a duration such as 30m, 24h or 7d, or `none`",
  /^(?:none|(?!0+[a-z])\d{1,7}(?:ms|s|m|h|d))$/,
  "24h",
);

export const size = textFormat("size", "a size such as 64KB, 16MB or 1GB", /^(?!0+[A-Z])\d{1,4}(?:KB|MB|GB)$/, "16MB");

export const moduleFunction = textFormat(
  "module-function",
  "a module and a function in it, such as ./agents/review.mjs#review",
  /^[^#\s][^#\n]*#[A-Za-z_$][\w$]*$/,
  "./agents/review.mjs#review",
);

export const variableName = textFormat(
  "variable-name",
  "the name of an environment variable",
  /^[A-Za-z_]\w*$/,
  "GITHUB_TOKEN",
);

export const serverPath = textFormat("server-path", "a path that starts with `/`", /^\/[^\s#]{0,500}$/, "/health");

export const folderPath = textFormat(
  "folder-path",
  "the path of a folder, from the root of the repository",
  /^[^-\s\0][^\0\n]{0,1000}$/,
  "../forge",
);

export const repositoryName = textFormat(
  "repository-name",
  "a repository written `owner/name`",
  /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/,
  "octo/shop",
);

export const apiAddress = textFormat(
  "api-address",
  "an https address, or http on this machine",
  /^(?:https:\/\/[A-Za-z0-9.-]+|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::\d{1,5})?(?:\/[\w./-]*)?$/,
  "https://api.github.com",
);

export const branchName = textFormat(
  "branch-name",
  "the name of a branch",
  /^(?![-/.@+])(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|[/.]$|\/\.))[\w./+@-]{1,200}$/,
  "main",
);

/** The reader says what is wrong with one: it knows the fields, and which time zones there are. */
export const cronTimes: TextFormat = {
  ...textFormat("cron", "five fields as in a crontab", /^\S+(?: +\S+){4}$/, "0 6 * * 1-5"),
  accepts: (text) => text !== "",
};

export const timeZone: TextFormat = {
  ...textFormat("time-zone", "the name of a time zone", /^[A-Za-z][\w+-]*(?:\/[\w+-]+){0,2}$/, "Europe/Berlin"),
  accepts: (text) => text !== "",
};

/** Any text that is not empty, including brackets and bars. */
export const anyText = textFormat("any-text", "a text that is not empty", /^[\s\S]+$/, "run");

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** In milliseconds; null when the text is not a duration. */
export function parseDuration(text: string): number | null {
  return duration.accepts(text) ? amount(text, MILLISECONDS) : null;
}

/** In bytes (1 KB = 1024 bytes); null when the text is not a size. */
export function parseSize(text: string): number | null {
  return size.accepts(text) ? amount(text, BYTES) : null;
}

function amount(text: string, units: Readonly<Record<string, number>>): number {
  return Number.parseInt(text, 10) * (units[text.replace(/^\d+/, "")] ?? 1);
}

/** In the largest unit that divides it exactly. */
export function printDuration(milliseconds: number): string {
  const unit = (["d", "h", "m", "s"] as const).find((name) => milliseconds % (MILLISECONDS[name] ?? 1) === 0);
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / (MILLISECONDS[unit] ?? 1)}${unit}`;
}
