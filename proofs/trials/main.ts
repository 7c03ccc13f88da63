import { availableParallelism } from "node:os";
import { readTrials, runTrial, TABLES, type Trial } from "./run-trials.ts";

/**
 * `node proofs/trials/main.ts` runs all of them and prints a table of what was expected and decided;
 * `node proofs/trials/main.ts P05 I07` some of them, with everything that was printed, and keeps their folders.
 */
const wanted = process.argv.slice(2);
const trials = TABLES.flatMap(readTrials).filter(
  ({ id, workflow }) => wanted.length === 0 || wanted.includes(id) || wanted.includes(workflow),
);
const isLoud = wanted.some((word) => /^[A-Z]\d\d$/.test(word));
const lines = new Map<string, string>();
let red = 0;
const waiting = [...trials];
await Promise.all(Array.from({ length: Math.min(3, availableParallelism() + 1) }, work));
console.log("| id | behaviour | expected | decided | |\n|---|---|---|---|---|");
for (const { id } of trials) console.log(lines.get(id));
console.log(`\n${trials.length} runs: ${trials.length - red} as expected, ${red} not`);
process.exitCode = red === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift())
    lines.set(trial.id, await lineOf(trial));
}

async function lineOf(trial: Trial): Promise<string> {
  const { wrong, seen } = await runTrial(trial, isLoud);
  const { expected } = trial;
  if (wrong.length > 0) red += 1;
  const asked = expected.end === "waiting" ? ` (${expected.question.join(" or ")})` : "";
  const first = `${expected.end}${asked}, ${expected.exit}, round ${expected.rounds}${expected.stands.length === 0 ? "" : `, ${expected.stands.join(", ")}`}`;
  const title = seen.run?.asks[0]?.title;
  const decided =
    seen.run === null
      ? `nothing, ${seen.code}`
      : `${seen.run.status}${title === undefined ? "" : ` (${title})`}, ${seen.code}, round ${seen.run.iteration}`;
  if (isLoud) console.log(`${trial.id}\n${seen.printed}${seen.told}${seen.folder}\n`);
  return `| ${trial.id} | ${trial.behaviour} | ${first} | ${decided} | ${wrong.length === 0 ? "✓" : `✗ ${wrong.join("; ")}`} |`;
}
