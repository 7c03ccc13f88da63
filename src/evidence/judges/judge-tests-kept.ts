import { compareTests, lossesInWords } from "../test-cases.ts";
import { listed, quote } from "../wording.ts";
import {
  type ClaimFinding,
  type JudgeContext,
  NO_PROCEDURE,
  confirmed,
  refuted,
  unverifiable,
} from "./judge-context.ts";

/** Tests that were there before the work run as before: none is removed, skipped or weakened. New ones are fine. */
export function judgeTestsKept(gate: string, { compared = [] }: JudgeContext): ClaimFinding {
  const run = compared.find((one) => one.gate === gate);
  if (run === undefined) return unverifiable(NO_PROCEDURE, "The tests were not compared with those before the work.");
  const procedure = `run gate ${quote(gate)} on the state before the work`;
  if (run.before === null) return unverifiable(procedure, `It shows no tests there: ${quote(run.why)}`);
  const losses = lossesInWords(run);
  if (losses.length > 0) return refuted(procedure, losses.join(" "));
  const { renamed } = compareTests(run.before, run.now);
  const names = renamed.length === 0 ? "" : ` Renamed: ${listed(renamed)}.`;
  return confirmed(procedure, `Every test that ran before runs now.${names}`);
}
