import type { MergeStrategy } from "../workflow/file/builtin-options.ts";

/**
 * Where issues and pull requests live.
 *
 * 1. Every change may be asked for again by whoever does not know whether it happened: what is there already is
 *    given back, and nothing is done twice. What is made is found again by its `key`, a pull request by its branch.
 * 2. A merge happens as a whole or not at all, and only of the very commit that was named.
 * 3. Texts of issues and agents are content: never an option, a path, a revision or an address.
 * 4. Only `ForgeError` is thrown.
 */
export interface Forge {
  /** The branch that pull requests are merged into. */
  base(): Promise<string>;

  issue(number: number): Promise<Issue | null>;
  openIssue(issue: NewIssue): Promise<Issue>;
  comment(issue: number, comment: NewComment): Promise<void>;
  /** Also when it is closed already. */
  closeIssue(issue: number): Promise<void>;
  /** Issues that name this one, or that it names. */
  relatedIssues(issue: number): Promise<readonly Issue[]>;

  pullRequest(number: number): Promise<PullRequest | null>;
  openPullRequest(pull: NewPullRequest): Promise<PullRequest>;
  /** Who has asked for changes and not approved since, with their words. */
  requestedChanges(pull: number): Promise<readonly string[]>;
  /** What others check on a commit. */
  checks(commit: string): Promise<Checks>;
  merge(pull: number, merge: MergeWish): Promise<MergeResult>;

  /** The newest commit of a branch of the forge, fetched into the repository of this folder; null when there is none. */
  fetchBranch(workspace: string, branch: string): Promise<string | null>;
  /** Makes the branch of the forge the branch of this folder's repository, and gives its commit. */
  pushBranch(workspace: string, branch: string): Promise<string>;
  /** Also when it is gone already. The base is never deleted. */
  deleteBranch(branch: string): Promise<void>;
}

export interface Issue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: "open" | "closed";
  readonly labels: readonly string[];
  /** ISO 8601. */
  readonly openedAt: string;
}

export interface NewIssue {
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

export interface NewComment {
  readonly key: string;
  readonly body: string;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly branch: string;
  readonly base: string;
  readonly state: "open" | "closed" | "merged";
  /** Its newest commit; null when its branch is gone. */
  readonly head: string | null;
  /** How it was merged. */
  readonly merged: { readonly sha: string; readonly head: string | null } | null;
  readonly commits: number;
}

export interface NewPullRequest {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

export interface Checks {
  readonly state: "none" | "pending" | "passing" | "failing";
  readonly failed: readonly string[];
}

export interface MergeWish {
  /** The commit that was judged. */
  readonly head: string;
  readonly strategy: MergeStrategy;
  readonly title: string;
}

export type MergeResult =
  | { readonly kind: "merged"; readonly sha: string }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** Its branch has another commit by now. */
  | { readonly kind: "moved"; readonly head: string | null }
  | { readonly kind: "refused"; readonly reason: string };

/** The forge could not do it. */
export class ForgeError extends Error {
  /** Whether trying again later can help. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing = false, options?: ErrorOptions) {
    super(message, options);
    this.isPassing = isPassing;
  }
}
