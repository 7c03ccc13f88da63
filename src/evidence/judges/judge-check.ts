import { isSameCommand } from "../same-command.ts";
import { provenName } from "../check-word.ts";
import { quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, confirmed, refuted, unverifiable } from "./finding.ts";
import { failureInWords, hasFailing } from "./judge-tests.ts";

/** A check passes, or fails, as the gates that prove it did. */
export function judgeCheck(check: string, passed: boolean, { gates }: Court): Finding {
  const proving = gates.filter(({ proves }) => proves.some((name) => provenName(name) === check));
  if (proving.length === 0) return unverifiable(NO_PROCEDURE, `No gate that proves ${quote(check)} was run.`);
  const procedure = `run ${proving.map(({ gate }) => `gate ${quote(gate)}`).join(" and ")}`;
  const failed = proving.find((gate) => (OF_TESTS.includes(check) ? hasFailing(gate) : !gate.passed));
  const evidence = failed === undefined ? "It passed." : failureInWords(failed);
  return passed === (failed === undefined) ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** Their reports have a word in it, too. */
const OF_TESTS: readonly string[] = ["tests", "unit", "integration", "e2e"];

interface CommandStatement {
  readonly command: string;
  readonly expectsFailure: boolean;
}

/** 000-R37: the command is believed only when it equals a gate, or a person let it run. */
export function judgeCommand({ command, expectsFailure }: CommandStatement, { gates, commands }: Court): Finding {
  const words = command.trim();
  const gate = gates.find((candidate) => isSameCommand(candidate.command, words));
  const run = gate ?? commands.find((candidate) => candidate.command.trim() === words);
  if (run === undefined) return unverifiable(NO_PROCEDURE, "It is no gate, and nobody has let it run.");
  const procedure = gate === undefined ? "run the command, with approval" : `run gate ${quote(gate.gate)}`;
  if (run.passed) {
    if (!expectsFailure) return confirmed(procedure, "It passed.");
    return unverifiable(procedure, "It passed; work that goes back need not have a command that fails.");
  }
  const evidence = `It failed: ${quote(run.message)}`;
  return expectsFailure
    ? confirmed(procedure, `${evidence} That is expected of work that goes back.`)
    : refuted(procedure, evidence);
}
