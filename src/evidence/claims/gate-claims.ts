import { OF_TESTS, provenName } from "../check-word.ts";
import { type Claim, type ExcludedCheck, standsAt } from "../claim.ts";

/** A gate, as far as claims about it need it. */
interface ClaimedGate {
  readonly command: readonly string[];
  readonly proves: readonly string[];
  /** What the gate writes: no rule of it, although its command may name it. */
  readonly reports: readonly string[];
  /** Folders that git ignores and the gate uses. */
  readonly bring: readonly string[];
}

/**
 * What nobody writes and everybody means who hands over work that gates judge: that the rules of the gates are as they
 * were. `writesTests` is null when it is not known whether the author writes tests.
 */
export function gateClaims(gates: readonly ClaimedGate[], writesTests: boolean | null): Claim[] {
  const run = gates.filter(({ command }) => command.length > 0);
  if (run.length === 0) return [];
  const place = standsAt(["gates"]);
  const commands = run.map(({ command }) => command);
  const claims: Claim[] = [
    {
      kind: "gate-files",
      ...place,
      says: "No file that defines a gate was changed.",
      about: { of: "gate-files", commands, reports: run.flatMap(({ reports }) => reports) },
      isImplied: true,
    },
    { kind: "lockfile", ...place, says: "The lockfile was not changed.", about: { of: "lockfile" }, isImplied: true },
    ...folderClaims(run),
    ...exclusionClaims(run),
  ];
  if (writesTests !== false || !run.some(provesTests)) return claims;
  const says = "No test file was changed by an agent that does not write tests.";
  return [...claims, { kind: "test-files", ...place, says, about: { of: "test-files" }, isImplied: true }];
}

/** The same about the tests of a gate, once it has run on the state before the work too. */
export function testsKeptClaim(gate: string): Claim {
  const says = "No test that was there before was removed, skipped or weakened.";
  return { kind: "tests-kept", ...standsAt(["gates", gate]), says, about: { of: "tests-kept", gate }, isImplied: true };
}

/** Folders of packages that were installed. What the work builds is work, and may change. */
const INSTALLED = /(?:^|\/)(?:node_modules|vendor|\.?venv|site-packages)\/?$/;

function folderClaims(gates: readonly ClaimedGate[]): Claim[] {
  const folders = [...new Set(gates.flatMap(({ bring }) => bring))].filter((folder) => INSTALLED.test(folder));
  if (folders.length === 0) return [];
  const says = "No installed package that gates use was changed.";
  return [
    { kind: "gate-folders", ...standsAt(["gates"]), says, about: { of: "gate-folders", folders }, isImplied: true },
  ];
}

function exclusionClaims(gates: readonly ClaimedGate[]): Claim[] {
  const names = new Set(gates.flatMap(({ proves }) => proves.map(provenName)));
  const checks: ExcludedCheck[] = [
    ...(gates.some(provesTests) || names.has("coverage") ? (["coverage"] as const) : []),
    ...(["lint", "typecheck", "build"].some((name) => names.has(name)) ? (["lint"] as const) : []),
  ];
  if (checks.length === 0) return [];
  const says = "No comment takes lines out of a check.";
  return [{ kind: "exclusions", ...standsAt(["gates"]), says, about: { of: "exclusions", checks }, isImplied: true }];
}

function provesTests({ proves }: ClaimedGate): boolean {
  return proves.some((name) => OF_TESTS.includes(provenName(name)));
}
