import { kebabCase } from "./lift-and-lower.ts";

/** What an agent does in a team, by its name: the formats that name phases name them after this. */
export type AgentRole =
  | "research"
  | "planning"
  | "infrastructure"
  | "implementation"
  | "testing"
  | "review"
  | "integration";

/** The beginnings of words in a name, in the order in which they decide: a `test-lead` tests, a `code-reviewer` reviews. */
const BEGINNINGS: readonly (readonly [role: AgentRole, beginnings: readonly string[]])[] = [
  ["review", ["review", "secur", "scan", "audit", "valid", "qa", "quality", "standards", "accessib", "complian"]],
  ["testing", ["test"]],
  ["research", ["research", "discover", "explor", "brainstorm"]],
  ["planning", ["architect", "lead", "plan", "design", "manager", "orchestrat", "coordinat", "product"]],
  ["infrastructure", ["prep", "infra", "devops", "config", "deploy", "setup"]],
  ["integration", ["integrat", "merge", "clos", "release"]],
  ["implementation", ["build", "develop", "implement", "fix", "code", "cod", "engineer", "migrat", "document", "writ"]],
];

/** Undefined when the name says nothing about it. */
export function roleOf(name: string | undefined): AgentRole | undefined {
  if (name === undefined) return undefined;
  const words = kebabCase(name).split("-");
  return BEGINNINGS.find(([, beginnings]) =>
    words.some((word) => beginnings.some((beginning) => word.startsWith(beginning))),
  )?.[0];
}
