import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { claimedPath } from "../evidence/claimed-path.ts";
import type { ReportedWork } from "../ports/agent.ts";

/** A tool call of a client that may read or change files. */
export interface FileCall {
  /** Null is neither, or not told yet. */
  readonly does: "read" | "change" | null;
  readonly paths: readonly string[];
}

interface OpenCall extends FileCall {
  /** What had been sent by then; null when that is not known. */
  readonly sent: number | null;
}

const MAX_FILES = 200;
const MAX_OPEN_CALLS = 1000;

/**
 * What a client tells of the files it reads and changes. A call counts when it is told to have gone well. Whatever a
 * client tells, a bounded part is kept, and of paths only such as lie in the workspace and can be named safely.
 */
export class WorkRecorder {
  readonly #roots: readonly string[];
  readonly #open = new Map<string, OpenCall>();
  readonly #reads = new Set<string>();
  #more = 0;
  #elsewhere = 0;
  #changes = 0;
  #firstInput: number | null = null;
  #sent: number | null = null;
  #sentBeforeChange: number | null = null;
  #isCounted = true;
  /** All that was sent to the model in this attempt, where the client tells it in the end. */
  input: number | null = null;

  constructor(workspace: string) {
    this.#roots = [...new Set([workspace, realPath(workspace)])];
  }

  /** The client has sent so many tokens to its model, cached ones counted; null when it does not tell. */
  send(tokens: number | null): void {
    if (tokens === null) return this.loseCount();
    if (!this.#isCounted) return;
    this.#firstInput ??= tokens;
    this.#sent = (this.#sent ?? 0) + tokens;
  }

  /** From here on not all that is sent is told. */
  loseCount(): void {
    this.#isCounted = false;
    this.#sent = null;
  }

  /** A call was asked for; told again, more may be known of it. */
  ask(id: string, { does, paths }: FileCall): void {
    const known = this.#open.get(id);
    if (known === undefined && this.#open.size >= MAX_OPEN_CALLS) return;
    const named = [...new Set([...(known?.paths ?? []), ...paths])].slice(0, MAX_FILES);
    this.#open.set(id, { does: does ?? known?.does ?? null, paths: named, sent: known ? known.sent : this.#sent });
  }

  end(id: string, wentWell: boolean): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (call !== undefined && wentWell) this.#note(call);
  }

  /** A call that is told when it has gone well. */
  did(call: FileCall): void {
    this.#note({ ...call, sent: this.#sent });
  }

  reported(): ReportedWork {
    return {
      firstInput: this.#firstInput,
      input: this.input,
      inputBeforeChange: this.#sentBeforeChange,
      changes: this.#changes,
      reads: [...this.#reads],
      moreReads: this.#more,
      readsElsewhere: this.#elsewhere,
    };
  }

  #note({ does, paths, sent }: OpenCall): void {
    if (does === "change") {
      if (this.#changes === 0) this.#sentBeforeChange = sent;
      this.#changes += 1;
    }
    if (does === "read") for (const path of paths) this.#noteRead(path);
  }

  #noteRead(reported: string): void {
    const path = this.#inWorkspace(reported);
    if (path === null) this.#elsewhere += 1;
    else if (this.#reads.size < MAX_FILES || this.#reads.has(path)) this.#reads.add(path);
    else this.#more += 1;
  }

  /** By its name alone; the file is not opened. */
  #inWorkspace(reported: string): string | null {
    if (reported.includes("\0") || reported.length > MAX_PATH) return null;
    for (const root of this.#roots) {
      const path = relative(root, resolve(root, reported)).split(sep).join("/");
      const claimed = claimedPath(path);
      if (claimed.isSafe && claimed.path !== ".") return claimed.path;
    }
    return null;
  }
}

const MAX_PATH = 4096;

/** A folder has two names where a link leads to it, and clients use either. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
