import { add, type Result, verifyCommits } from "./verify-commits.ts";

/**
 * `node proofs/true-handoffs/main.ts COMMITS SEED CLONE...` verifies true handoffs about so many commits of each clone,
 * and lies about the same commits; COMMITS of 7 make 35 handoffs a clone.
 */
const [many = "7", seed = "1", ...clones] = process.argv.slice(2);
const results: Result[] = [];
const waiting = [...clones];
await Promise.all([work(), work()]);
const [first, ...others] = results;
if (first === undefined) throw new Error("Name clones.");
const all = others.reduce(add, first);
for (const line of all.missed) console.log(`missed ${line}`);
const traits = [...new Set(all.traits)];
console.log(traits.map((trait) => `${trait} ${all.traits.filter((one) => one === trait).length}`).join(", "));
console.log(
  `${all.handoffs} true handoffs, ${all.claims} claims, ${all.confirmed} confirmed, ${all.wrong.length} falsely refuted; ${all.found} of ${all.lies} lies found (${((100 * all.found) / all.lies).toFixed(0)} %)`,
);
process.exitCode = all.wrong.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let clone = waiting.shift(); clone !== undefined; clone = waiting.shift()) {
    const result = await verifyCommits(clone, Number(many), Number(seed), true);
    results.push(result);
    for (const line of result.wrong) console.log(`WRONG ${line}`);
    console.error(
      `${clone}: ${result.handoffs} handoffs, ${result.wrong.length} wrong, ${result.found} of ${result.lies} lies`,
    );
  }
}
