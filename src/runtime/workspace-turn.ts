import type { Ports } from "../ports/ports.ts";
import type { Turn } from "../ports/workspace.ts";
import type { ForeignChanges } from "../workflow/input.ts";
import type { RunState } from "../workflow/state.ts";
import { AppError } from "../shared/app-error.ts";
import { endOrphans } from "./end-orphans.ts";
import { readState } from "./operations/send-input.ts";
import { readOutbox } from "./read-log.ts";
import { retryWhileDiskFull } from "./retry-while-disk-full.ts";

/** The result of asking for the turn: the run to wait for, or what others have changed since the run was last there. */
type Entry = { readonly busy: string } | { readonly changes: ForeignChanges | null };

/**
 * The turn of a run in a folder that it shares with other runs. It is kept from the first agent or gate until the run
 * waits for a person, ends or is let go, so that no other run changes files between two steps.
 */
export class WorkspaceTurn {
  readonly #ports: Ports;
  readonly #run: string;
  readonly #signal: AbortSignal;
  readonly #notify: (message: string) => void;
  #turn: Turn | null = null;

  constructor(ports: Ports, run: string, signal: AbortSignal, notify: (message: string) => void) {
    this.#ports = ports;
    this.#run = run;
    this.#signal = signal;
    this.#notify = notify;
  }

  get isHeld(): boolean {
    return this.#turn !== null;
  }

  async take(state: RunState): Promise<Entry> {
    const { workspace } = this.#ports;
    const entry = await workspace.enter(this.#run);
    if ("busy" in entry) return entry;
    this.#turn = entry.turn;
    const { last } = entry.turn;
    const other = last === null || last.run === this.#run ? null : last.run;
    const directory = await workspace.prepare(this.#run, "in-place");
    if (other !== null && last?.hasLeft === false) await this.#leaveFor(other, directory);
    if (state.run === "") return { changes: null };
    const find = () => this.#findChanges(state, directory, other);
    try {
      return { changes: await retryWhileDiskFull(find, this.#signal, this.#notify) };
    } catch (error) {
      // What cannot be looked at now cannot be verified later either, and that is said where it matters.
      this.#notify(
        `It is not known which files others have changed: ${error instanceof Error ? error.message : String(error)}`,
      );
      return { changes: null };
    }
  }

  /** A run that goes on later compares the workspace with what it was like now. */
  async leave(state: RunState): Promise<void> {
    const turn = this.#turn;
    this.#turn = null;
    if (turn === null) return;
    const { workspace, repository } = this.#ports;
    try {
      const directory = await workspace.prepare(this.#run, "in-place");
      if (state.status === "running" && state.run !== "") await repository.mark(directory, leftKey(this.#run, state));
    } finally {
      await turn.leave();
    }
  }

  /** The process of that run was killed: its agents are ended, and what is there now is what it left. */
  async #leaveFor(run: string, directory: string): Promise<void> {
    const { log, repository } = this.#ports;
    if ((await log.run(run)) === null) return;
    for (const effect of await readOutbox(log, run)) await endOrphans(this.#ports, run, "in-place", effect);
    const state = await readState(this.#ports, run);
    if (state.status === "running") await repository.mark(directory, leftKey(run, state));
  }

  async #findChanges(state: RunState, directory: string, by: string | null): Promise<ForeignChanges | null> {
    const { repository } = this.#ports;
    const left = await repository.mark(directory, leftKey(this.#run, state));
    const now = await repository.snapshot(directory);
    if (left === null || now === null || (left.tree === now.tree && left.commit === now.commit)) return null;
    const begun = Object.values(state.tasks).flatMap(({ began, since }) =>
      [began, since].flatMap(Object.values<string>),
    );
    const keys = [...new Set(begun)].map((step) => `${this.#run}.${step}`);
    const paths = await repository.moveBases(directory, keys, left, now);
    if (paths.length === 0) return null;
    return { paths: paths.slice(0, MAX_NAMED), more: Math.max(0, paths.length - MAX_NAMED), by };
  }
}

const MAX_NAMED = 20;

/** Takes the folder for a run that is about to start in this process; throws while another run works there. */
export async function ensureFree({ workspace }: Pick<Ports, "workspace">, run: string): Promise<void> {
  const entry = await workspace.enter(run);
  if (!("busy" in entry)) return;
  await workspace.stopWaiting(run);
  throw workspaceBusy(entry.busy);
}

/** For an operator who does not want to wait. */
export function workspaceBusy(holder: string): AppError {
  const who = holder === "" ? "Another run" : `Run ${holder}`;
  const hint = "Wait for it (leave out --no-wait), or give the new run a folder of its own with --worktree.";
  return new AppError("workspace-busy", `${who} is at work in this folder.`, hint);
}

/** Names the work that was done so far: as long as it stays the same, no agent of the run has changed a file. */
function leftKey(run: string, { tasks, asked }: RunState): string {
  const work = Object.values(tasks).map(({ id, trail, step }) =>
    [id, trail.length, step?.attempts, step?.accepted, step?.gate, step?.passes].join(","),
  );
  return `${run} left ${asked} ${work.join(" ")}`;
}
