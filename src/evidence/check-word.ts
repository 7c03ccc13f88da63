/** The checks that gates prove and handoffs report, under one name each, whatever a dialect or an agent calls them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  tests: ["test", "tests", "testing", "test_suite", "all_tests"],
  lint: ["lint", "linting", "linter", "eslint", "oxlint"],
  build: ["build", "builds", "compile", "compiles", "compilation"],
  typecheck: ["type", "types", "typecheck", "type_check", "type_checking", "typescript", "tsc"],
  audit: ["audit", "security", "security_audit", "security_scan", "npm_audit", "vulnerabilities"],
  unit: ["unit", "unit_test", "unit_tests"],
  integration: ["integration", "integration_test", "integration_tests"],
  e2e: ["e2e", "e2e_test", "e2e_tests", "end_to_end", "end_to_end_tests"],
  format: ["format", "formatting", "formatter"],
  dependencies: ["dependencies", "deps", "dependencies_installed"],
  dev_server: ["dev_server", "server"],
};

const BY_WORD = new Map(Object.entries(NAMES).flatMap(([name, words]) => words.map((word) => [word, name] as const)));

const ENDINGS = /_(?:passed|passes|passing|success|successful|succeeded|status|results?|check|clean|ok|verified)$/;

/** `lint_passed`, `type_check` and `build_success` as `lint`, `typecheck` and `build`; null for other names. */
export function checkName(name: string): string | null {
  return BY_WORD.get(name) ?? BY_WORD.get(name.replace(ENDINGS, "")) ?? null;
}

/** The same for what a gate proves: a name of the operator's own stays as it is. */
export function provenName(name: string): string {
  const word = name.toLowerCase().replaceAll(/[\s-]+/g, "_");
  return checkName(word) ?? word;
}
