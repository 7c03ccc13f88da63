import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { type Bar, isMet, printBar, printTable } from "./bar.ts";

/**
 * Runs every `*.bench.ts` of this folder, each in a process of its own, so that none meets code that another
 * has made the engine optimise for. `npm run bench -- NAME` runs one. Nothing here fails for being slow.
 */
const [wanted, isChild] = process.argv.slice(2);
if (isChild === "--alone") await runAlone(wanted ?? "");
else await runAll(wanted);

async function runAll(only: string | undefined): Promise<void> {
  console.log(describeMachine());
  const bars: Bar[] = [];
  for (const file of readdirSync(import.meta.dirname).sort()) {
    const name = /^(.+)\.bench\.ts$/.exec(file)?.[1];
    if (name !== undefined && (only === undefined || only === name)) bars.push(...(await runApart(name)));
  }
  const missed = bars.filter((bar) => !isMet(bar) && bar.stretch !== true);
  console.log(`\n${printTable(bars)}\n\n${bars.length} bars, ${missed.length} missed. ${describeMachine()}`);
}

function runApart(name: string): Promise<Bar[]> {
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const bars: Bar[] = [];
    const child = fork(import.meta.filename, [name, "--alone"], { env });
    child.on("message", (bar) => bars.push(bar as Bar));
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve(bars);
      else reject(new Error(`the benchmark ${name} ended with ${code}`));
    });
  });
}

async function runAlone(name: string): Promise<void> {
  console.log(`\n${name}`);
  const { run } = (await import(join(import.meta.dirname, `${name}.bench.ts`))) as {
    run: (tell: (bar: Bar) => void) => Promise<void> | void;
  };
  await run((bar) => {
    console.log(`  ${printBar(bar)}`);
    process.send?.(bar);
  });
}

function describeMachine(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model.trim()}, load ${load}${Number(load) > 0.5 * cpus().length ? " (busy: times are inflated, ratios less so)" : ""}`;
}
