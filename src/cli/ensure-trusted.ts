import type { LoadedWorkflow } from "../runtime/operations/load-workflow.ts";
import { listCommands } from "../runtime/operations/list-commands.ts";
import { isTrusted, trustWorkflow, isRunKnown, readPinned, rememberRun } from "../runtime/operations/trust-workflow.ts";
import { AppError } from "../shared/app-error.ts";
import { defuseLogCommands, printable } from "../shared/printable.ts";
import type { Terminal } from "./terminal.ts";
import type { Engine } from "../runtime/engine.ts";
import type { findRun } from "../runtime/operations/send-input.ts";
import { checkRun } from "../runtime/operations/check-programs.ts";
import { say } from "./fit-lines.ts";

/** Commands of a workflow file run only when the operator has trusted exactly this content. */
export async function ensureTrusted(
  loaded: LoadedWorkflow,
  given: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (isTrusted(loaded, terminal.configFolder) || given === loaded.hash) return;
  const commands = loaded.workflow === null ? [] : listCommands(loaded.workflow);
  if (commands.length === 0) return;
  const { path, hash } = loaded;
  if (!terminal.isInteractive() || given !== undefined) {
    const why = given === undefined ? "is not trusted yet" : "has another hash than --trust says";
    throw new AppError(
      "not-trusted",
      `${path} ${why}: its commands may not run.`,
      `Look at them (baton check ${path} lists them), then: baton trust ${path}, or --trust ${hash}`,
    );
  }
  await askForTrust(path, "this file", commands, terminal);
  trustWorkflow(loaded, terminal.configFolder, Date.now());
}

/** Shows the commands and asks for the whole word: a slip of the finger trusts nothing. */
export async function askForTrust(
  title: string,
  what: string,
  commands: readonly string[],
  terminal: Pick<Terminal, "ask" | "note">,
): Promise<void> {
  terminal.note(`${printable(title)} wants to run these commands on your machine:\n${printCommands(commands)}`);
  if (!(await saysYes(`Do you trust ${what}? [yes/no] `, terminal)))
    throw new AppError("not-trusted", `${title} is not trusted.`, "Nothing was run.");
}

/** Asks again after any other word; the end of the input means no. */
async function saysYes(question: string, terminal: Pick<Terminal, "ask" | "note">): Promise<boolean> {
  for (;;) {
    const answer = (await terminal.ask(question)).trim().toLowerCase();
    if (answer === "yes") return true;
    if (["no", "n", ""].includes(answer)) return false;
    terminal.note("Write yes in full to trust it, or no.\n");
  }
}

/** Text of a workflow file may try to hide on a terminal. */
export function printCommands(commands: readonly string[]): string {
  return commands.map((line) => `${defuseLogCommands(`  ${printable(line)}`)}\n`).join("");
}

type Row = Pick<Awaited<ReturnType<typeof findRun>>, "run" | "workflow">;
type Machine = Engine["ports"];

/**
 * The commands of a stored run go on only when the operator has started it or trusts exactly its definition:
 * an adopted log may have been made by somebody else.
 */
export async function ensureRunTrusted(
  ports: Machine,
  row: Row,
  { command, given }: { readonly command: string; readonly given: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const { commands } = await readPinned(ports, row);
  if (isHarmless(row, commands, terminal)) return;
  const title = `Run ${row.run}`;
  if (given !== row.workflow) {
    if (!terminal.isInteractive() || given !== undefined) {
      terminal.note(`${printable(title)} would run these commands on your machine:\n${printCommands(commands)}`);
      throw new AppError(
        "not-trusted",
        `${title} was not started by you here, and its commands are not trusted: nothing was run.`,
        `Look at them (above), then: baton ${command} ${row.run} --trust ${row.workflow}`,
      );
    }
    await askForTrust(title, "this run", commands, terminal);
  }
  rememberTrust(row.run, row.workflow, terminal);
}

/** The same without asking the operator. */
export async function isRunAllowed(ports: Machine, row: Row, terminal: Terminal): Promise<boolean> {
  const { commands } = await readPinned(ports, row);
  return isHarmless(row, commands, terminal);
}

/** A run that the operator starts may continue later. If this cannot be stored, the operator has to trust it again. */
export function rememberTrust(run: string, pin: string, terminal: Terminal): void {
  try {
    rememberRun(run, pin, terminal.configFolder);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    terminal.note(`${error.message}\nTo go on with this run later needs: --trust ${pin}\n`);
  }
}

function isHarmless({ run, workflow: pin }: Row, commands: readonly string[], terminal: Terminal): boolean {
  return commands.length === 0 || isRunKnown(run, pin, terminal.configFolder);
}

type RunToStart = Awaited<ReturnType<typeof findRun>>;
type Inputs = NonNullable<Parameters<typeof checkRun>[3]>;

/** A stored run continues only if its next agent can be started; the same holds for a new run. */
export async function ensurePrograms(
  engine: Engine,
  row: RunToStart,
  terminal: Terminal,
  inputs: Inputs = [],
): Promise<void> {
  const repositoryInfo = await terminal.repositoryInfo();
  const check = { repositoryInfo, searchPath: terminal.searchPath, severity: "error" as const };
  const missing = await checkRun(engine, row, check, inputs);
  const fatal = missing.find(({ severity }) => severity === "error");
  if (fatal !== undefined) throw new AppError("cannot-read", fatal.message, fatal.hint ?? "");
  warnOfMissing(missing, "", terminal);
}

interface Missing {
  readonly message: string;
  readonly hint: string | null;
}

/** A warning only: the run may never need the file, or an earlier agent may make it. */
export function warnOfMissing([first, ...more]: readonly Missing[], where: string, terminal: Terminal): void {
  if (first === undefined) return;
  const rest = more.length === 0 ? "" : ` And ${more.length} more${where}.`;
  say(terminal, `${printable(`Warning: ${first.message} ${first.hint ?? ""}${rest}`)}\n`);
}
