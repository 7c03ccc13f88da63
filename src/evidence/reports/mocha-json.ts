import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";
import { listOf, recordOf } from "./json-text.ts";
import { type Shown, readCount, refuse } from "./report.ts";

/** Mocha's `--reporter json`. */
export function isMochaResult(value: JsonRecord): boolean {
  return isRecord(ownValue(value, "stats")) && Array.isArray(ownValue(value, "passes"));
}

export function readMochaResult(value: JsonRecord): Shown {
  const stats = recordOf(value, "stats");
  const [tests = 0, passed = 0, failed = 0, skipped = 0] = LISTS.map((name) => {
    const listed = listOf(value, name).length;
    const said = readCount(ownValue(stats, name), `stats.${name}`);
    return said === listed ? listed : refuse(`stats.${name} is ${said} and ${listed} are listed`);
  });
  // A hook that failed is among the failures and is no test.
  if (tests > passed + failed + skipped) refuse(`${tests} tests are listed, and the results of fewer`);
  return { tests: { passed, failed, skipped }, coverage: null };
}

const LISTS = ["tests", "passes", "failures", "pending"] as const;
