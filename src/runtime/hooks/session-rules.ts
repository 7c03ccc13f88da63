import { hash } from "node:crypto";
import { join } from "node:path";
import { type Formats, NO_FORMATS, isBuiltin } from "../../protocol/dialects/registry.ts";
import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { parseYaml } from "../../protocol/syntax/yaml.ts";
import {
  type SessionAgent,
  type SessionsSection,
  liftSessions,
  sessionAgents,
} from "../../workflow/file/sessions-section.ts";
import type { PinnedFormat, Workflow } from "../../workflow/definition.ts";
import { isRecord, ownValue } from "../../shared/json-value.ts";
import { type TrustEntry, readTrusted } from "../operations/trust-store.ts";
import { readPlainFile } from "../read-plain-file.ts";

/** The section `sessions` of a repository, as the operator trusts it. */
export interface SessionRules {
  readonly section: SessionsSection;
  /** Of the whole file. */
  readonly hash: string;
  /** The team's own formats that the section names, ready for use. */
  readonly formats: Formats;
  readonly pinned: Readonly<Record<string, PinnedFormat>>;
  /** The workflow whose expectations hold; null when the section names none. */
  readonly followed: Workflow | null;
}

export type FoundRules =
  /** The repository says nothing about sessions. */
  | { readonly is: "absent" }
  | { readonly is: "wrong"; readonly why: string }
  | { readonly is: "not-trusted"; readonly hash: string; readonly section: SessionsSection }
  | { readonly is: "trusted"; readonly rules: SessionRules };

interface RulesPlace {
  readonly root: string;
  /** By which the repository is told from every other one. */
  readonly mark: () => string;
  readonly configFolder: string;
}

const FILE = "baton.yaml";

/** Reads what the repository says about sessions. Without the operator's trust in exactly this it counts for nothing. */
export async function findRules(place: RulesPlace): Promise<FoundRules> {
  const text = readPlainFile(join(place.root, FILE));
  if (text === null) return { is: "absent" };
  const file = parse(text);
  if (!isRecord(file) || !Object.hasOwn(file, "sessions")) return { is: "absent" };
  const section = liftSessions(file);
  if (section === null) return { is: "wrong", why: `the section sessions of ${FILE} is wrong: baton check tells how` };
  const content = hash("sha256", text, "hex");
  const entries = trustedEntries(place, content);
  const own = ownFormats(section);
  if (entries.length === 0) return { is: "not-trusted", hash: content, section };
  const rules = { section, hash: content, formats: NO_FORMATS, pinned: {}, followed: null };
  const found: FoundRules =
    own.length === 0 ? { is: "trusted", rules } : await withFormats(place.root, rules, { own, entries });
  return found.is === "trusted" && section.workflow !== null
    ? withWorkflow(place, found.rules, section.workflow)
    : found;
}

/** The workflow says the formats of the agents for which the section does not. */
async function withWorkflow(place: RulesPlace, rules: SessionRules, name: string): Promise<FoundRules> {
  const { findFollowed } = await import("./followed-workflow.ts");
  const { formatsOf } = await import("../../workflow/workflow-formats.ts");
  const found = findFollowed(name, place);
  if (found.is === "wrong") return { is: "wrong", why: `the workflow of sessions cannot be used: ${found.why}` };
  const { section, hash: content } = rules;
  if (found.is === "not-trusted") return { is: "not-trusted", hash: content, section };
  const { workflow } = found;
  const inFormat = (agent: SessionAgent): SessionAgent => ({
    ...agent,
    format: agent.format ?? ownValue(workflow.agents, agent.as)?.dialect ?? null,
  });
  const agents = Object.entries(section.agents).map(([type, agent]) => [type, inFormat(agent)] as const);
  const main = section.main === null ? null : inFormat(section.main);
  return {
    is: "trusted",
    rules: {
      ...rules,
      section: { ...section, agents: Object.fromEntries(agents), main },
      pinned: { ...workflow.formats, ...rules.pinned },
      formats: [...rules.formats, ...formatsOf(workflow)],
      followed: workflow,
    },
  };
}

function parse(text: string): unknown {
  try {
    const { documents, hasDuplicates } = parseYaml(text, DEFAULT_LIMITS);
    return hasDuplicates || documents.length !== 1 ? null : documents[0];
  } catch {
    return null;
  }
}

/** The operator trusts exactly this text, in this repository. */
function trustedEntries({ mark, configFolder }: RulesPlace, content: string): TrustEntry[] {
  const entries = readTrusted(configFolder).filter((entry) => entry.content === content);
  return entries.length === 0 ? [] : entries.filter((entry) => entry.mark === mark());
}

function ownFormats(section: SessionsSection): string[] {
  return sessionAgents(section).flatMap(({ format }) => (format === null || isBuiltin(format) ? [] : [format]));
}

interface NamedFormats {
  readonly own: readonly string[];
  readonly entries: readonly TrustEntry[];
}

/** The files of the formats must be those that were trusted together with the section. */
async function withFormats(root: string, rules: SessionRules, { own, entries }: NamedFormats): Promise<FoundRules> {
  const { pinFormats } = await import("../operations/load-formats.ts");
  const { formatsOf } = await import("../../workflow/workflow-formats.ts");
  const { readNamed } = await import("../covered-files.ts");
  const { formatFilesOf } = await import("../../workflow/file/named-files.ts");
  const all = pinFormats(root);
  const pinned = Object.fromEntries(Object.entries(all).filter(([name]) => own.includes(name)));
  const missing = own.find((name) => !Object.hasOwn(pinned, name));
  if (missing !== undefined) return { is: "wrong", why: `there is no format ${missing}` };
  const files = readNamed(formatFilesOf({ formats: pinned }), { directory: root, root });
  const isCovered = entries.some((entry) =>
    files.every((file) => entry.files.some(({ path, hash: known }) => path === file.path && known === file.hash)),
  );
  if (!isCovered) return { is: "not-trusted", hash: rules.hash, section: rules.section };
  return { is: "trusted", rules: { ...rules, formats: formatsOf({ name: FILE, formats: pinned }), pinned } };
}
