import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { type Bar, isMet, printBar, printTable } from "./bar.ts";

/**
 * Runs every `*.bench.ts` of this folder, each in a process of its own, so that none meets code that another
 * has made the engine optimise for. `npm run bench -- NAME` runs one. Nothing here fails for being slow.
 */
const [wanted, isChild, part] = process.argv.slice(2);
if (isChild === "--alone") await runAlone(wanted ?? "", part ?? "");
else await runAll(wanted);

async function runAll(only: string | undefined): Promise<void> {
  console.log(describeMachine());
  const bars: Bar[] = [];
  for (const file of readdirSync(import.meta.dirname).sort()) {
    const name = /^(.+)\.bench\.ts$/.exec(file)?.[1];
    if (name === undefined || (only !== undefined && only !== name)) continue;
    for (const section of (await loadBench(name)).parts ?? [""]) bars.push(...(await runApart(name, section)));
  }
  const missed = bars.filter((bar) => !isMet(bar) && bar.stretch !== true);
  console.log(`\n${printTable(bars)}\n\n${bars.length} bars, ${missed.length} missed. ${describeMachine()}`);
}

function runApart(name: string, section: string): Promise<Bar[]> {
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const bars: Bar[] = [];
    const child = fork(import.meta.filename, [name, "--alone", section], { env });
    child.on("message", (bar) => bars.push(bar as Bar));
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve(bars);
      else reject(new Error(`the benchmark ${name} ended with ${code}`));
    });
  });
}

interface Bench {
  /** Parts that run in processes of their own; the bench is given the name of one. */
  readonly parts?: readonly string[];
  readonly run: (report: (bar: Bar) => void, part: string) => Promise<void> | void;
}

async function loadBench(name: string): Promise<Bench> {
  return (await import(join(import.meta.dirname, `${name}.bench.ts`))) as Bench;
}

async function runAlone(name: string, section: string): Promise<void> {
  console.log(`\n${name} ${section}`.trimEnd());
  await (
    await loadBench(name)
  ).run((bar) => {
    console.log(`  ${printBar(bar)}`);
    process.send?.(bar);
  }, section);
}

function describeMachine(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model.trim()}, load ${load}${Number(load) > 0.5 * cpus().length ? " (busy: times are inflated, ratios less so)" : ""}`;
}
