import { isBuiltin } from "../../protocol/dialects/registry.ts";
import type { Problems } from "../../protocol/file-problems.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { type JsonPath, type JsonRecord, ownValue } from "../../shared/json-value.ts";
import type { PinnedFormat } from "../definition.ts";
import { type SessionAgent, type SessionsSection, liftSessions } from "./sessions-section.ts";

type Formats = Readonly<Record<string, PinnedFormat>>;

/** The section `sessions` with the team's own formats that it names. */
export interface ReadSessions {
  readonly section: SessionsSection;
  readonly formats: Formats;
}

/** Reads the section of a file whose fields were checked, and reports formats that do not exist. */
export function readSessions(
  file: JsonRecord,
  formats: (() => Formats) | undefined,
  problems: Problems,
): ReadSessions | null {
  const section = liftSessions(file);
  if (section === null) return null;
  const used: Record<string, PinnedFormat> = {};
  for (const [path, agent] of agentsOf(section)) {
    const own = ownFormat(agent, section, path, formats, problems);
    if (own !== null) used[own.name] = own.format;
  }
  return { section, formats: used };
}

function agentsOf({ agents, main }: SessionsSection): [JsonPath, SessionAgent][] {
  const named = Object.entries(agents).map(([name, agent]): [JsonPath, SessionAgent] => [
    ["sessions", "agents", name],
    agent,
  ]);
  return main === null ? named : [...named, [["sessions", "main"], main]];
}

function ownFormat(
  { format }: SessionAgent,
  { workflow }: SessionsSection,
  path: JsonPath,
  formats: (() => Formats) | undefined,
  problems: Problems,
): { readonly name: string; readonly format: PinnedFormat } | null {
  if (format === null) {
    if (workflow === null) problems.add({ ...NO_FORMAT, path });
    return null;
  }
  if (isBuiltin(format)) return null;
  const known = formats?.() ?? {};
  const found = ownValue(known, format);
  if (found !== undefined) return { name: format, format: found };
  problems.unknownName("format", format, [...DIALECT_NAMES, ...Object.keys(known)], [...path, "format"]);
  return null;
}

const NO_FORMAT = {
  code: "missing-field",
  message: "It is not said in which format this agent hands over.",
  hint: "Add `format`, or name a `workflow` that has this agent.",
} as const;
