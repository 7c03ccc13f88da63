import { readRows, runCheat } from "./run-cheat.ts";

/**
 * `node proofs/cheats/main.ts` runs all of them and prints a table of what was expected and seen;
 * `node proofs/cheats/main.ts T01 R` some of them; with whole ids it prints everything and keeps their folders.
 */
const wanted = process.argv.slice(2);
const rows = readRows().filter(({ id }) => wanted.length === 0 || wanted.some((word) => id.startsWith(word)));
const isLoud = wanted.some((word) => /^[A-Z]\d\d$/.test(word));
const waiting = [...rows];
const lines = new Map<string, string>();
const counts = new Map<string, number>();
let wrong = 0;
await Promise.all([work(), work()]);
console.log("| id | the agent | at least | seen | |\n|---|---|---|---|---|");
for (const { id } of rows) console.log(lines.get(id));
console.log(
  `\n${rows.length} rows: ${[...counts].map(([verdict, many]) => `${many} ${verdict}`).join(", ")}; ${wrong} not as written`,
);
process.exitCode = wrong === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
    const { id, does, least } = row;
    const before = performance.now();
    const { verdict, isRight, shown, room } = await runCheat(row, isLoud).catch((error: unknown) => ({
      verdict: "broken",
      isRight: false,
      shown: { stopped: String(error), asked: "", told: "" },
      room: "",
    }));
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (!isRight) wrong += 1;
    const seconds = ((performance.now() - before) / 1_000).toFixed(1);
    lines.set(id, `| ${id} | ${does} | ${least} | ${verdict} | ${isRight ? "" : "WRONG"} |`);
    console.error(`${id} ${verdict}${isRight ? "" : ` (WRONG: ${least})`} ${seconds} s`);
    if (isLoud) console.error(`${room}\nstopped: ${shown.stopped}\nasked: ${shown.asked}\ntold: ${shown.told}\n`);
  }
}
