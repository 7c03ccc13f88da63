import type { Engine } from "../runtime/engine.ts";
import { claimRun } from "../runtime/operations/resume-run.ts";
import { driveToEnd } from "./drive-to-end.ts";
import { EXIT } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";

/** Tells a run something and, when nobody else drives it, drives it on here. */
export async function tellAndGoOn(
  terminal: Terminal,
  tell: (machine: Engine["machine"]) => Promise<string>,
): Promise<number> {
  const engine = await terminal.openEngine();
  try {
    const run = await tell(engine.machine);
    const lease = await claimRun(engine.machine, run);
    if (lease !== null) return await driveToEnd(engine, lease, terminal, { json: false, quiet: false });
    terminal.note(`Told. Another process drives run ${run}; baton watch ${run} shows it.\n`);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}
