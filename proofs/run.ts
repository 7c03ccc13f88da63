import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { appendRow, LEDGER, nextSeed, readLedger, type Row, totalOf } from "./ledger.ts";
import { type Proof, PROOFS } from "./proofs.ts";

/**
 * `npm run prove` shows what has been counted so far, `npm run prove -- NAME COUNT` counts on, slice by slice,
 * each with inputs that were not tried before, and writes every slice into the ledger, held or broken.
 */
const root = join(import.meta.dirname, "..");
/** A program that a signal has ended says so by a code beyond this one. */
const SIGNALLED = 128;
const [name, wanted] = process.argv.slice(2);
process.exitCode = name === undefined ? showTotals() : await prove(name, Number(wanted));

function showTotals(): number {
  const rows = readLedger();
  const widest = Math.max(...PROOFS.map((proof) => proof.name.length));
  for (const proof of PROOFS) {
    const total = totalOf(proof, rows);
    const broken = rows.filter((row) => row.proof === proof.name && row.result === "broken").length;
    const share = `${number(total)} of ${number(proof.goal)} ${proof.unit}`;
    console.log(
      `${proof.name.padEnd(widest)}  ${share}${broken === 0 ? "" : `, broken ${broken === 1 ? "once" : `${broken} times`}`}`,
    );
    console.log(`${" ".repeat(widest)}  ${proof.shows}`);
  }
  return 0;
}

async function prove(which: string, count: number): Promise<number> {
  const proof = PROOFS.find((one) => one.name === which);
  const refusal = whyNot(proof, count);
  if (proof === undefined || refusal !== null) {
    console.error(refusal);
    return 2;
  }
  for (let left = count; left > 0; left -= proof.slice) {
    const row = await proveSlice(proof, Math.min(left, proof.slice));
    if (row === null) return 130;
    appendRow(row);
    const total = number(totalOf(proof, readLedger()));
    console.log(
      `${row.result}: ${number(row.count)} ${proof.unit} from ${row.seed} in ${row.seconds} s, ${total} so far`,
    );
    if (row.result === "broken") return 1;
  }
  return 0;
}

/** What ran must be what the ledger names, and nothing may be left out for want of a program. */
function whyNot(proof: Proof | undefined, count: number): string | null {
  if (proof === undefined) return `There is no such proof. There are: ${PROOFS.map((one) => one.name).join(", ")}.`;
  if (!Number.isSafeInteger(count) || count < 1)
    return `Say how many ${proof.unit}: npm run prove -- ${proof.name} COUNT`;
  if (process.platform !== "linux") return "Proofs are taken on Linux: elsewhere tests leave parts out.";
  const changed = git("status", "--porcelain", "--", ".", `:(exclude)${relative(root, LEDGER)}`);
  return changed === "" ? null : `Commit first, so that the ledger can name what ran. Changed:\n${changed}`;
}

/** Null when somebody has stopped it, which shows nothing. */
async function proveSlice(proof: Proof, count: number): Promise<Row | null> {
  const seed = nextSeed(proof, readLedger());
  const commit = git("rev-parse", "HEAD");
  const environment = Object.entries(proof.environment(count, seed)).map(([key, value]) => [key, String(value)]);
  const before = performance.now();
  // In CI a test whose program is missing fails, and does not pass by being left out.
  const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...proof.tests], {
    cwd: root,
    env: { ...process.env, ...(Object.fromEntries(environment) as Record<string, string>), CI: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === null || code > SIGNALLED) return null;
  const seconds = Math.round((performance.now() - before) / 1_000);
  const result = code === 0 ? "held" : "broken";
  return { proof: proof.name, result, count, seed, commit, ended: new Date().toISOString(), seconds };
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function number(value: number): string {
  return value.toLocaleString("en");
}
