import { DIALECT_NAMES, type DialectName } from "../protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import type { ReadOptions } from "../protocol/reading.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { usage } from "./parse-arguments.ts";

/** Options that mean the same in every command that reads handoffs. */
export const READ_OPTIONS = {
  dialect: { value: "DIALECT", choices: DIALECT_NAMES, about: "Read as this dialect instead of recognising it." },
  "max-bytes": { value: "N", about: `Refuse texts larger than this (default ${DEFAULT_LIMITS.bytes}).` },
} as const satisfies Readonly<Record<string, Option>>;

export const HELP_OPTION = { help: { about: "Show this help." } } as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that go on with a stored run. */
export const NO_WAIT_OPTION = {
  "no-wait": { about: "Start nothing while another run works in the same folder; exit code 3." },
} as const;

export const TRUST_RUN_OPTION = {
  trust: { value: "PIN", about: "Trust the commands of the run if its definition has exactly this pin." },
} as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that do something and have nothing else to print. */
export const JSON_DONE_OPTION = {
  json: { about: "Print what was done as JSON." },
} as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that drive a stored run on, or say where it stands when another process does. */
export const JSON_END_OPTION = {
  json: { about: "Print how the run ends, or where it stands, as `baton status RUN --json` has it." },
} as const satisfies Readonly<Record<string, Option>>;

export function readOptions(
  command: Pick<Command, "name">,
  invocation: Invocation,
): ReadOptions & { maxBytes: number } {
  const dialect = invocation.text("dialect") as DialectName | undefined;
  const maxBytes = wholeNumber(command, invocation, "max-bytes") ?? DEFAULT_LIMITS.bytes;
  return { ...(dialect !== undefined && { dialect }), limits: { bytes: maxBytes }, maxBytes };
}

export function wholeNumber(
  command: Pick<Command, "name">,
  invocation: Invocation,
  option: string,
): number | undefined {
  const text = invocation.text(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw usage(command, `--${option} is a whole number; found "${text}".`);
  return Number(text);
}

export function dialectOperand(command: Pick<Command, "name">, { operands }: Invocation): string | undefined {
  if (operands.length > 1) throw usage(command, `One dialect at a time; found ${operands.length}.`);
  return operands[0];
}

/** `others` are words that this command takes in the place of a dialect. */
export function requireDialect(
  command: Pick<Command, "name">,
  name: string | undefined,
  what: string,
  others: readonly string[] = [],
): DialectName {
  const known = [...DIALECT_NAMES, ...others].join(", ");
  if (name === undefined) throw usage(command, `${what} is missing: one of ${known}.`);
  const found = DIALECT_NAMES.find((candidate) => candidate === name);
  if (found === undefined) throw usage(command, `There is no dialect "${name}".`, `It is one of ${known}.`);
  return found;
}
