import type { LoadedWorkflow } from "../runtime/operations/load-workflow.ts";
import { listCommands } from "../runtime/operations/list-commands.ts";
import type { TrustedRun } from "../runtime/operations/trust-store.ts";
import {
  type RunTrust,
  type TrustSubject,
  changesOfRun,
  changesSinceTrusted,
  isRunKnown,
  isTrusted,
  readPinned,
  rememberRun,
  trustOfRun,
  trustSubject,
  trustWorkflow,
} from "../runtime/operations/trust-workflow.ts";
import { personOf } from "../runtime/request-source.ts";
import { AppError } from "../shared/app-error.ts";
import { defuseLogCommands, printable } from "../shared/printable.ts";
import type { Terminal } from "./terminal.ts";
import type { Engine } from "../runtime/engine.ts";
import { type findRun, sendInput } from "../runtime/operations/send-input.ts";
import { checkRun } from "../runtime/operations/check-programs.ts";
import { say } from "./fit-lines.ts";

interface TrustRequest {
  /** What `--trust` names: then only equality counts. */
  readonly given: string | undefined;
  /** What becomes of the command when it is not trusted, after a colon. */
  readonly consequence: string;
  /** Also asked when the workflow has no commands: its policy counts. */
  readonly always?: true;
}

/** A workflow is used only when the operator has trusted exactly its content and that of the files that it names. */
export async function ensureTrusted(
  loaded: LoadedWorkflow,
  { given, consequence, always }: TrustRequest,
  terminal: Terminal,
): Promise<TrustSubject> {
  const subject = trustSubject(loaded, await terminal.repositoryInfo());
  const { path } = subject;
  const commands = loaded.workflow === null ? [] : listCommands(loaded.workflow);
  const isSaid = given === subject.hash;
  const isFree = (commands.length === 0 && always !== true) || isTrusted(subject, terminal.configFolder);
  if (isFree && (isSaid || given === undefined)) return subject;
  await refuseAgent(given, `Trust in ${path}`, terminal);
  if (isSaid) return subject;
  const changes = changesSinceTrusted(subject, terminal.configFolder);
  if (given !== undefined || !terminal.isInteractive())
    throw notTrusted(subject, given, changes, consequence, terminal);
  if (changes === null)
    await askForTrust(path, "it", [...commands, ...nameSchedules(loaded), ...nameFiles(subject.files)], terminal);
  else await askForChange(path, changes, terminal);
  trustWorkflow(subject, terminal.configFolder);
  return subject;
}

const OTHER_HASH = "has another hash than --trust says";

function notTrusted(
  { path, operand, hash }: TrustSubject,
  given: string | undefined,
  changes: readonly string[] | null,
  consequence: string,
  terminal: Terminal,
): AppError {
  if (changes !== null) terminal.note(printChanges(changes));
  const first = changes === null ? "is not trusted yet" : "has changed since you trusted it";
  const look = `Look at it (baton check ${operand} lists its commands and files)`;
  const hint = `${look}, then: baton trust ${operand}, or --trust ${hash}`;
  return new AppError("not-trusted", `${path} ${given === undefined ? first : OTHER_HASH}: ${consequence}.`, hint);
}

/** What is trusted besides the workflow itself. */
export function nameFiles(files: readonly { readonly path: string }[]): string[] {
  return files.map(({ path }) => `file ${path}`);
}

/** What starts by itself once it is trusted. */
function nameSchedules({ schedules }: LoadedWorkflow): string[] {
  return schedules.map(({ name, cron, timezone }) => `schedule ${name}: ${cron} (${timezone})`);
}

/** Trust is a person's: an agent can neither say it nor be asked. */
async function refuseAgent(given: string | undefined, request: string, terminal: Terminal): Promise<void> {
  if (given !== undefined || terminal.isInteractive()) personOf(await terminal.requestSource(), request);
}

/** Shows the commands and asks for the whole word: a slip of the finger trusts nothing. */
export async function askForTrust(
  title: string,
  what: string,
  commands: readonly string[],
  terminal: Pick<Terminal, "ask" | "note">,
): Promise<void> {
  terminal.note(`${printable(title)} wants to run this on your machine:\n${printCommands(commands)}`);
  if (!(await saysYes(`Do you trust ${what}? [yes/no] `, terminal)))
    throw new AppError("not-trusted", `${title} is not trusted.`, "Nothing was run.");
}

/** What was trusted before and is different now takes one key. */
async function askForChange(title: string, changes: readonly string[], terminal: Terminal): Promise<void> {
  terminal.note(`${printable(title)} has changed since you trusted it:\n${printChanges(changes)}`);
  const key = await terminal.askKey("Do you trust it as it is now? [y/n] ");
  if (key.toLowerCase() !== "y") throw new AppError("not-trusted", `${title} is not trusted.`, "Nothing was run.");
}

export function printChanges(changes: readonly string[]): string {
  return printCommands(changes.flatMap((change) => change.split("\n")));
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
 * The commands of a stored run go on only when the operator has started it here, or trusts exactly its definition and the
 * files that it names: an adopted log may have been made by somebody else.
 */
export async function ensureRunTrusted(
  ports: Machine,
  row: Row,
  { command, given }: { readonly command: string; readonly given: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const { workflow, commands } = await readPinned(ports, row);
  const isKnown = isHarmless(row, commands, terminal);
  // Without a person here, the run itself asks before it starts a file that has changed.
  const isFree = isKnown && given === undefined;
  if (isFree && !terminal.isInteractive()) return;
  const subject = await trustOfRun(ports, row, workflow);
  const title = `Run ${row.run}`;
  if (isKnown && given === subject.hash) return;
  const changes = isFree ? await changesOfRun(ports, row.run, subject.files) : null;
  if (changes?.length === 0) return;
  await refuseAgent(given, `Trust in run ${row.run}`, terminal);
  if (changes !== null) await askForChange(title, changes, terminal);
  else if (given !== subject.hash) {
    const wanted = [...commands, ...nameFiles(subject.files)];
    const line = `baton ${command} ${row.run} --trust ${subject.hash}`;
    if (given === undefined) await askAboutRun(title, wanted, line, terminal);
    else throw runNotTrusted(title, wanted, OTHER_HASH, line, terminal);
  }
  await trustRun(ports, row, subject, terminal);
}

async function askAboutRun(title: string, wanted: readonly string[], line: string, terminal: Terminal): Promise<void> {
  const why = "was not trusted by you here with the files that it names";
  if (!terminal.isInteractive()) throw runNotTrusted(title, wanted, why, line, terminal);
  await askForTrust(title, "this run", wanted, terminal);
}

function runNotTrusted(
  title: string,
  wanted: readonly string[],
  why: string,
  line: string,
  terminal: Terminal,
): AppError {
  terminal.note(`${printable(title)} would run this on your machine:\n${printCommands(wanted)}`);
  return new AppError("not-trusted", `${title} ${why}: nothing was run.`, `Look at them (above), then: ${line}`);
}

async function trustRun(
  ports: Machine,
  { run, workflow: pin }: Row,
  { hash, files }: RunTrust,
  terminal: Terminal,
): Promise<void> {
  const trusted = files.map((file) => ({ path: file.path, hash: file.hash }));
  const by = personOf(await terminal.requestSource(), `Trust in run ${run}`);
  await sendInput(ports, run, { kind: "trust-files", files: trusted, by });
  rememberTrust({ run, pin, hash }, hash, terminal);
}

/** The same without asking the operator. */
export async function isRunAllowed(ports: Machine, row: Row, terminal: Terminal): Promise<boolean> {
  const { commands } = await readPinned(ports, row);
  return isHarmless(row, commands, terminal);
}

/** A run that the operator starts may continue later. If this cannot be stored, the operator has to trust it again. */
export function rememberTrust(run: TrustedRun, later: string, terminal: Terminal): void {
  try {
    rememberRun(run, terminal.configFolder);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    terminal.note(`${error.message}\nTo go on with this run later needs: --trust ${later}\n`);
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
