/**
 * Judges the truth set, handoffs of our own whose claims are true and false in known ways, and prints what came of
 * it: `node test/truth/measure.ts`. With `--all`, also every claim that was judged otherwise than expected.
 */
import { CLAIM_KINDS } from "../../src/evidence/claim.ts";
import { type TruthFigures, countOutcomes, judgeTruthSet } from "./truth-set.ts";

const COLUMNS = ["claims", "detected", "missed", "falselyRefused", "confirmed", "unverifiable"] as const;
const TITLES = ["kind", "claims", "detected", "missed", "falsely refused", "confirmed", "unverifiable"];

function row(name: string, figures: TruthFigures): string {
  return [name, ...COLUMNS.map((column) => String(figures[column]))].map(cell).join(" ");
}

function cell(text: string, at: number): string {
  return at === 0 ? text.padEnd(11) : text.padStart((TITLES[at] ?? "").length);
}

const started = performance.now();
const { worlds, handoffs, outcomes } = await judgeTruthSet(1);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${handoffs} handoffs in five dialects about ${worlds} histories, judged in ${seconds} s`);
console.log(TITLES.map(cell).join(" "));
for (const kind of CLAIM_KINDS)
  console.log(row(kind, countOutcomes(outcomes.filter((outcome) => outcome.kind === kind))));
console.log(row("all", countOutcomes(outcomes)));
const unread = outcomes.filter(({ verdict }) => verdict === "unread").length;
console.log(`${unread} of these claims stood in handoffs that the reader refused already`);
if (process.argv.includes("--all"))
  for (const outcome of outcomes.filter(({ expect, verdict }) => verdict !== "unread" && verdict !== expect))
    console.log(
      `${outcome.case.world.name}, ${outcome.case.dialect}: ${outcome.kind} "${outcome.name}" is ${outcome.verdict}, ` +
        `not ${outcome.expect}: ${outcome.evidence}`,
    );
