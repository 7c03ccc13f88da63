/** Arguments that make a test script write a report, and the reports that it writes with them. */
interface ScriptReports {
  readonly args: readonly string[];
  readonly reports: readonly string[];
}

export const NO_REPORTS: ScriptReports = { args: [], reports: [] };

/**
 * The reports that the test script of a package.json writes, or can be made to write by arguments at its end. npm adds
 * arguments to the last command of a script, so only a script that ends with a known runner gets some.
 */
export function reportsOf(script: string): ScriptReports {
  const named = namedReports(script);
  if (named.length > 0) return { args: [], reports: named };
  if (/[|;<>`$()]/.test(script)) return NO_REPORTS;
  const last = script.split("&&").at(-1)?.trim() ?? "";
  const words = last.replace(PREFIX, "").split(/\s+/);
  return RUNNERS.find(({ isRun }) => isRun(words)) ?? NO_REPORTS;
}

/** `npx`, and variables that are set for the command. */
const PREFIX = /^(?:(?:npx|cross-env|c8|nyc)\s+(?!-)|\w+=\S*\s+)+/;

/** Node and others are told in the script itself where their reports go. */
function namedReports(script: string): string[] {
  const found = [...script.matchAll(NAMED)].map(([, path = ""]) => path.replace(/^\.\//, ""));
  return [...new Set(found)].filter((path) => !STREAMS.has(path) && !/^[/~-]|\.\./.test(path));
}

const NAMED = /--(?:test-reporter-destination|outputFile(?:\.junit|\.json)?|junitxml)[= ]["']?([\w./-]+)/g;
const STREAMS = new Set(["stdout", "stderr"]);

const JUNIT = "test-report.xml";
const JSON_REPORT = "test-report.json";

interface Runner extends ScriptReports {
  readonly isRun: (words: readonly string[]) => boolean;
}

const RUNNERS: readonly Runner[] = [
  {
    isRun: ([program, verb]) => program === "vitest" && (verb === undefined || verb === "run" || verb.startsWith("-")),
    args: ["--reporter=default", "--reporter=junit", `--outputFile.junit=${JUNIT}`],
    reports: [JUNIT],
  },
  {
    isRun: ([program]) => program === "jest",
    args: ["--json", `--outputFile=${JSON_REPORT}`],
    reports: [JSON_REPORT],
  },
  {
    isRun: ([program]) => program === "mocha",
    args: ["--reporter=json", `--reporter-option=output=${JSON_REPORT}`],
    reports: [JSON_REPORT],
  },
  {
    // Behind the first file an option would be the name of another file.
    isRun: ([program, ...words]) =>
      program === "node" && words.includes("--test") && words.every((word) => word.startsWith("-")),
    args: ["--test-reporter=junit", `--test-reporter-destination=${JUNIT}`],
    reports: [JUNIT],
  },
];
