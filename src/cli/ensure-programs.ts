import type { Engine } from "../runtime/engine.ts";
import { checkRun } from "../runtime/operations/check-run.ts";
import type { findRun } from "../runtime/operations/tell-run.ts";
import { AppError } from "../shared/app-error.ts";
import { printable } from "../shared/printable.ts";
import { say } from "./fit-lines.ts";
import type { Terminal } from "./terminal.ts";

type Row = Awaited<ReturnType<typeof findRun>>;
type Told = NonNullable<Parameters<typeof checkRun>[3]>;

/** A stored run goes on only when what it comes to first can be started, as a new one starts. */
export async function ensurePrograms(engine: Engine, row: Row, terminal: Terminal, told: Told = []): Promise<void> {
  const surroundings = await terminal.surroundings();
  const check = { surroundings, searchPath: terminal.searchPath, severity: "error" as const };
  const missing = await checkRun(engine, row, check, told);
  const fatal = missing.find(({ severity }) => severity === "error");
  if (fatal !== undefined) throw new AppError("cannot-read", fatal.message, fatal.hint ?? "");
  warnOfMissing(missing, "", terminal);
}

interface Missing {
  readonly message: string;
  readonly hint: string | null;
}

/** The run may never come to the agent that would miss it, or somebody makes it before. */
export function warnOfMissing([first, ...more]: readonly Missing[], where: string, terminal: Terminal): void {
  if (first === undefined) return;
  const rest = more.length === 0 ? "" : ` And ${more.length} more${where}.`;
  say(terminal, `${printable(`Warning: ${first.message} ${first.hint ?? ""}${rest}`)}\n`);
}
