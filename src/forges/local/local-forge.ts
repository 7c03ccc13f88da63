import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Forge,
  ForgeError,
  type Issue,
  type MergeResult,
  type MergeRequest,
  type NewComment,
  type NewIssue,
  type NewPullRequest,
  type PullRequest,
} from "../../ports/forge.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { ForgeGit } from "../git.ts";
import { namedNumbers } from "../references.ts";
import { BareRepository } from "./bare-repository.ts";
import { composeMerge } from "./compose-merge.ts";
import { type StoredPull, allWords, commentKeys, issueOf, list, pullOf, requestedChanges } from "./item-shapes.ts";
import { Items } from "./items.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";

interface LocalForgeOptions {
  readonly folder: string;
  /** The repository it is made from, and whose base branch it follows. */
  readonly source: string;
  readonly base: string | null;
  readonly git: ForgeGit;
}

/** A forge in a folder: `repository.git`, and issues and pull requests below `items`. It needs no network. */
export async function openLocalForge(options: LocalForgeOptions): Promise<Forge> {
  const { folder, source, git } = options;
  await mkdir(folder, { recursive: true });
  // It may be in a repository, and is none of its files.
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  const repository = new BareRepository(join(folder, "repository.git"), git);
  await repository.make(source, options.base);
  const base = options.base ?? (await repository.base());
  await withFolderLock(folder, () => repository.follow(source, base));
  return new LocalForge(folder, repository, base, git);
}

class LocalForge implements Forge {
  readonly #folder: string;
  readonly #items: Items;
  readonly #repository: BareRepository;
  readonly #base: string;
  readonly #git: ForgeGit;

  constructor(folder: string, repository: BareRepository, base: string, git: ForgeGit) {
    this.#folder = folder;
    this.#items = new Items(join(folder, "items"));
    this.#repository = repository;
    this.#base = base;
    this.#git = git;
  }

  async base(): Promise<string> {
    return this.#base;
  }

  async issue(number: number): Promise<Issue | null> {
    const item = await this.#items.read(number);
    return item === null ? null : issueOf(number, item);
  }

  async openIssue({ key, title, body, labels }: NewIssue): Promise<Issue> {
    return this.#locked(async () => {
      const found = await this.#find((item) => item["kind"] === "issue" && item["key"] === key);
      const item = { kind: "issue", key, title, body, labels, state: "open", opened_at: now(), comments: [] };
      const number = found ?? (await this.#items.add({ ...item, labels: [...labels] }));
      return this.#existing(await this.issue(number), number);
    });
  }

  async comment(number: number, { key, body }: NewComment): Promise<void> {
    await this.#change(number, (item) => {
      if (commentKeys(item).includes(key)) return null;
      return { ...item, comments: [...list(item["comments"]), { key, body, at: now() }] } as JsonRecord;
    });
  }

  async closeIssue(number: number): Promise<void> {
    await this.#change(number, (item) =>
      item["state"] === "closed" ? null : { ...item, state: "closed", closed_at: now() },
    );
  }

  async relatedIssues(number: number): Promise<readonly Issue[]> {
    const own = await this.#items.read(number);
    const named = new Set(own === null ? [] : namedNumbers(allWords(own)));
    const related: Issue[] = [];
    for (const other of await this.#items.numbers()) {
      const item = other === number ? null : await this.#items.read(other);
      const issue = item === null ? null : issueOf(other, item);
      if (item === null || issue === null) continue;
      if (named.has(other) || namedNumbers(allWords(item)).includes(number)) related.push(issue);
    }
    return related;
  }

  async pullRequest(number: number): Promise<PullRequest | null> {
    const pull = await this.#pull(number);
    if (pull === null) return null;
    const { merging: _merging, ...rest } =
      pull.merging === null ? pull : await this.#locked(() => this.#settle(number));
    const head = await this.#repository.commitOf(rest.branch);
    const base = await this.#repository.commitOf(rest.base);
    const isOpen = head !== null && base !== null && rest.merged === null;
    return { ...rest, head, commits: isOpen ? await this.#repository.count(head, base) : rest.commits };
  }

  async openPullRequest({ branch, title, body }: NewPullRequest): Promise<PullRequest> {
    if ((await this.#repository.commitOf(branch)) === null)
      throw new ForgeError(`the forge has no branch ${branch}: push it first`);
    if (branch === this.#base) throw new ForgeError(`${branch} is what pull requests are merged into`);
    return this.#locked(async () => {
      const found = await this.#find((item) => {
        const pull = pullOf(0, item, this.#base);
        return pull?.branch === branch && pull.state === "open";
      });
      const item = { kind: "pull", title, body, branch, base: this.#base, state: "open", opened_at: now() };
      const number = found ?? (await this.#items.add(item));
      return this.#existing(await this.#pull(number), number);
    }).then(async ({ number }) => this.#existing(await this.pullRequest(number), number));
  }

  async requestedChanges(number: number): Promise<readonly string[]> {
    return requestedChanges(this.#existing(await this.#items.read(number), number));
  }

  async checks(): Promise<{ readonly state: "none"; readonly failed: readonly string[] }> {
    return { state: "none", failed: [] };
  }

  async merge(number: number, request: MergeRequest): Promise<MergeResult> {
    return this.#locked(async () => {
      const pull = await this.#settle(number);
      if (pull.merged !== null) return pull.merged.head === request.head ? done(pull.merged.sha) : ALREADY_MERGED;
      if (pull.state !== "open") return { kind: "refused", reason: "the pull request is closed" };
      const head = await this.#repository.commitOf(pull.branch);
      if (head !== request.head) return { kind: "moved", head };
      return this.#mergeNow(pull, request);
    });
  }

  /**
   * First the commit is made, then noted, then the base is moved to it in one step, then the pull request is called
   * merged. The base tells a process that finds the note whether the step was taken.
   */
  async #mergeNow(pull: StoredPull, request: MergeRequest): Promise<MergeResult> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const base = await this.#repository.commitOf(pull.base);
      if (base === null) return { kind: "refused", reason: `the forge has no branch ${pull.base}` };
      const commits = await this.#repository.count(request.head, base);
      if (commits === 0) return { kind: "refused", reason: `${pull.branch} has no commit that ${pull.base} lacks` };
      const { folder } = this.#repository;
      const composed = await composeMerge(this.#git, { repository: folder, base, ...request });
      if (composed.kind !== "composed") return composed;
      const { sha } = composed;
      await this.#put(pull.number, { merging: { sha, head: request.head, commits } });
      const isMoved = await this.#repository.move(pull.base, sha, base);
      await this.#settle(pull.number);
      if (isMoved) return done(sha);
    }
    throw new ForgeError(`${pull.base} was moved by others ${MAX_TRIES} times during the merge`, true);
  }

  /** Ends a merge that was noted: it happened, or it did not. */
  async #settle(number: number): Promise<StoredPull> {
    const pull = this.#existing(await this.#pull(number), number);
    if (pull.merging === null) return pull;
    const happened = await this.#repository.holds(pull.base, pull.merging.sha);
    const { sha, head, commits } = pull.merging;
    const merged = { sha, head, commits, at: now() };
    await this.#put(number, { merging: undefined, ...(happened && { merged, state: "closed" }) });
    return this.#existing(await this.#pull(number), number);
  }

  async fetchBranch(workspace: string, branch: string): Promise<string | null> {
    return this.#repository.giveTo(workspace, branch);
  }

  async pushBranch(workspace: string, branch: string): Promise<string> {
    if (branch === this.#base) throw new ForgeError(`${branch} is changed by pull requests only`);
    return this.#locked(() => this.#repository.take(workspace, branch));
  }

  async deleteBranch(branch: string): Promise<void> {
    if (branch === this.#base) throw new ForgeError(`${branch} is what pull requests are merged into: it stays`);
    await this.#locked(() => this.#repository.remove(branch));
  }

  async #pull(number: number): Promise<StoredPull | null> {
    const item = await this.#items.read(number);
    return item === null ? null : pullOf(number, item, this.#base);
  }

  async #find(isIt: (item: JsonRecord) => boolean): Promise<number | null> {
    for (const number of await this.#items.numbers()) {
      const item = await this.#items.read(number);
      if (item !== null && isIt(item)) return number;
    }
    return null;
  }

  /** Null leaves it as it is. */
  async #change(number: number, change: (item: JsonRecord) => JsonRecord | null): Promise<void> {
    await this.#locked(async () => {
      const changed = change(this.#existing(await this.#items.read(number), number));
      if (changed !== null) await this.#items.replace(number, changed);
    });
  }

  /** Only while the folder is locked. */
  async #put(number: number, fields: JsonRecord): Promise<void> {
    const item = this.#existing(await this.#items.read(number), number);
    await this.#items.replace(number, { ...item, ...fields });
  }

  #existing<T>(found: T | null, number: number): T {
    if (found === null) throw new ForgeError(`${this.#folder} has no such item ${number}`);
    return found;
  }

  #locked<T>(change: () => Promise<T>): Promise<T> {
    return withFolderLock(this.#folder, change);
  }
}

const MAX_TRIES = 5;
const ALREADY_MERGED: MergeResult = { kind: "refused", reason: "it was merged already, at another commit" };

function done(sha: string): MergeResult {
  return { kind: "merged", sha };
}

function now(): string {
  return new Date().toISOString();
}

const inThisProcess = new Map<string, Promise<unknown>>();

/**
 * One change of a folder at a time, across processes. The lock is SQLite's own on a file that stays empty: the
 * kernel lets go of it with the process that held it, however that ended, so no lock is ever stale.
 */
async function withFolderLock<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const before = inThisProcess.get(folder) ?? Promise.resolve();
  const mine = before.then(
    () => locked(folder, change),
    () => locked(folder, change),
  );
  inThisProcess.set(folder, mine);
  try {
    return await mine;
  } finally {
    if (inThisProcess.get(folder) === mine) inThisProcess.delete(folder);
  }
}

const PAUSE = 20;
const MAX_WAIT = 600_000;

async function locked<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const database = openDatabase(join(folder, "lock"), { timeout: 0 });
  try {
    for (const giveUpAt = Date.now() + MAX_WAIT; !tryToLock(database); await sleep(PAUSE))
      if (Date.now() > giveUpAt) throw new ForgeError(`${folder} was locked by another process all the time`, true);
    return await change();
  } finally {
    database.close();
  }
}

function tryToLock(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6)) return false;
    throw new ForgeError(`the lock cannot be had: ${String(error)}`, false, { cause: error });
  }
}
