/** One name for each check that gates prove and handoffs report, with the words that dialects and agents use for it. */
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

/** The same for what a gate proves; an unknown name of the operator stays as it is. */
export function provenName(name: string): string {
  const word = name.toLowerCase().replaceAll(/[\s-]+/g, "_");
  return checkName(word) ?? word;
}

/** Checks that run tests: their reports count, not only the exit code. */
export const OF_TESTS: readonly string[] = ["tests", "unit", "integration", "e2e"];

/** Compares a gate's list of words with a text. Words that a shell would interpret never match. */
export function isSameCommand(command: readonly string[], text: string): boolean {
  const isPlain = command.length > 0 && command.every((word) => /^[\w@%+=:,./-]+$/.test(word));
  return isPlain && isSameText(command.join(" "), text);
}

/** Compares two commands as they are written, where `npm test`, `npm t` and `npm run test` are one. */
export function isSameText(left: string, right: string): boolean {
  return plainTest(left) === plainTest(right);
}

/** The ways to start the script `test`. `bun test` is none: it does not start the script. */
function plainTest(text: string): string {
  return text
    .trim()
    .replace(/^(npm|pnpm) (?:t|tst|run test|run-script test)(?= |$)/, "$1 test")
    .replace(/^yarn run test(?= |$)/, "yarn test");
}
