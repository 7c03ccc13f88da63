import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedDriver } from "../drivers/embedded/embedded-driver.ts";
import type { Ports } from "../ports/ports.ts";
import type { Diagnostic } from "../protocol/diagnostic.ts";
import { answerAsk } from "../runtime/operations/answer-ask.ts";
import { checkPrograms } from "../runtime/operations/check-programs.ts";
import { followRun } from "../runtime/operations/follow-run.ts";
import { type LoadedWorkflow, understandWorkflow } from "../runtime/operations/load-workflow.ts";
import { findRun, readState, sendInput } from "../runtime/operations/send-input.ts";
import { viewRun } from "../runtime/operations/view-run.ts";
import type { Engine } from "../runtime/engine.ts";
import { type RequestSource, accountOf, personOf } from "../runtime/request-source.ts";
import { hasMessages } from "../runtime/read-log.ts";
import { isParked } from "../runtime/run-session.ts";
import { AppError } from "../shared/app-error.ts";
import type { RunView } from "../views/run-view.ts";
import type { TaskDefinition } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import { configFolder } from "./config-folder.ts";
import { findSource } from "./find-source.ts";
import { openEngine } from "./open-engine.ts";
import { readRepositoryInfo } from "./read-repository-info.ts";

export interface BatonOptions {
  /** A folder in the repository that agents work on; the current folder unless given. */
  readonly directory?: string;
  /** Is told what an operator should know, such as a run that could not be driven on. */
  readonly onTrouble?: (message: string) => void;
}

export interface WorkflowText {
  /** The workflow file, as text. */
  readonly workflow: string;
  /** What the file is called in messages. */
  readonly path?: string;
}

export interface StartOptions extends WorkflowText {
  /** What the run is about; every agent is told. */
  readonly brief?: string;
  /** Tasks beside those of the workflow. */
  readonly tasks?: readonly TaskDefinition[];
  /** What is known from the start: `issue.number`, `branch`. */
  readonly known?: Readonly<Record<string, string>>;
}

/** The state of one repository, and the runs that this process drives. Other processes can use the same state. */
export interface Baton {
  /** Root of the repository, absolute. */
  readonly root: string;
  /** Where the log is: in the git folder of the repository, or where BATON_STATE says. */
  readonly stateFolder: string;
  /** Everything that is wrong with a workflow, and the programs that its agents would miss here. */
  check(workflow: WorkflowText): Promise<readonly Diagnostic[]>;
  /**
   * Starts a run and drives it in this process. When it resolves, the run is stored: it goes on with `resume` even if
   * this process ends now. The commands of the workflow are run: give only text that you trust.
   */
  start(options: StartOptions): Promise<BatonRun>;
  /** A run by its id or the beginning of it; the newest one unless named. It is looked at and not driven. */
  find(name?: string): Promise<BatonRun>;
  /** Drives a run on that no process drives, such as one whose process has died. */
  resume(name?: string): Promise<BatonRun>;
  /** Ends the agents of this process and closes the state. Runs that are not over can be resumed. */
  close(): Promise<void>;
}

export interface BatonEvent {
  readonly event: Event;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface BatonRun {
  readonly id: string;
  /** Where the run stands, as `baton status RUN --json` prints it. */
  view(): Promise<RunView>;
  /** What has happened and what happens, in order. Ends when the run has ended or only a person can move it on. */
  events(): AsyncGenerator<BatonEvent, void, undefined>;
  /** Resolves when the run has ended or only a person can move it on. Its `status` says which; `asks` what is asked. */
  settled(): Promise<RunView>;
  /** Answers a question of the run, for a person: `by` is told beside the account. An agent is refused. False when the same answer was given before; another one is refused. */
  answer(ask: string, choice: string, options?: { readonly text?: string; readonly by?: string }): Promise<boolean>;
  /** Ends the run and every agent that works in it. */
  cancel(reason?: string): Promise<void>;
}

/** Opens the state of a repository, and makes it where there is none. */
export async function openBaton({ directory = process.cwd(), onTrouble = ignore }: BatonOptions = {}): Promise<Baton> {
  const engine = openEngine(directory, configFolder(process.env), onTrouble);
  const { ports, root, stateFolder } = engine;
  const own = new Set<string>();
  const driver = embeddedDriver(ports, {
    watch: (update) => (update.kind === "trouble" ? onTrouble(update.message) : undefined),
    // Runs of others are theirs: their commands were not given to this process.
    mayDrive: (run) => Promise.resolve(own.has(run)),
  });

  async function load({ workflow, path = "baton.yaml" }: WorkflowText): Promise<LoadedWorkflow> {
    const loaded = understandWorkflow(workflow, path, dirname(resolve(root, path)));
    const searchPath = process.env["PATH"] ?? "";
    return checkPrograms(loaded, { repositoryInfo: readRepositoryInfo(root), searchPath, severity: "error" });
  }

  return {
    root,
    stateFolder,
    check: async (text) => (await load(text)).diagnostics,
    async start({ brief = "", tasks = [], known = {}, ...text }) {
      const { workflow, diagnostics } = await load(text);
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      if (workflow === null || errors.length > 0) throw cannotRun(errors);
      const id = await driver.start({ workflow, brief, tasks, known });
      own.add(id);
      return runWith(engine, id);
    },
    find: async (name) => runWith(engine, (await findRun(ports, name)).run),
    async resume(name) {
      const { run } = await findRun(ports, name);
      if (!(await driver.resume(run)))
        throw new AppError("conflict", `Another process drives run ${run}.`, "Follow it with `find`.");
      own.add(run);
      return runWith(engine, run);
    },
    async close() {
      await driver.stop();
      await engine.close();
    },
  };
}

function ignore(): void {
  // No listener was given.
}

const LOOK_AGAIN = 50;

function runWith({ ports, stateFolder }: Pick<Engine, "ports" | "stateFolder">, id: string): BatonRun {
  const source = (): RequestSource => findSource(stateFolder);
  const view = async (): Promise<RunView> => (await viewRun(ports, id, (await findRun(ports, id)).workflow)).view;

  async function* events(): AsyncGenerator<BatonEvent, void, undefined> {
    const followed = await followRun(ports, id);
    for (;;) {
      const { row, news } = await followed.look();
      yield* news;
      if (news.length > 0) continue;
      if (row.finished || (row.status === "waiting" && (await isWaiting(ports, id)))) return;
      await sleep(LOOK_AGAIN);
    }
  }

  return {
    id,
    view,
    events,
    async settled() {
      for await (const _event of events());
      return view();
    },
    async answer(ask, choice, { text = null, by }: { text?: string | null; by?: string } = {}) {
      const account = personOf(source(), "The answer");
      return answerAsk(ports, id, { ask, choice, text, by: by === undefined ? account : `${by} (as ${account})` });
    },
    async cancel(reason = "no reason given") {
      await sendInput(ports, id, { kind: "cancel-run", by: accountOf(source()), reason });
    },
  };
}

/** Only a person can move it on, and no answer is on its way. */
async function isWaiting(ports: Ports, id: string): Promise<boolean> {
  return !(await hasMessages(ports, id)) && isParked(await readState(ports, id));
}

function cannotRun([first, ...others]: readonly Diagnostic[]): AppError {
  const place = first === undefined ? "" : ` (line ${first.range.start.line})`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const message = `The workflow cannot be run: ${first?.message ?? "it is not readable."}${place}${more}`;
  return new AppError("wrong-usage", message, "`check` gives all diagnostics.");
}
