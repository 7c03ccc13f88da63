import type { MergeStrategy } from "../workflow/file/builtin-options.ts";

/**
 * Where issues and pull requests are kept.
 *
 * 1. Every change may be repeated when it is not known whether it succeeded: an existing result is returned, and
 *    nothing is done twice. Created items are found by their `key`, a pull request by its branch.
 * 2. A merge is atomic, and merges exactly the commit that was named.
 * 3. Texts of issues and agents are content: never an option, a path, a revision or an address.
 * 4. Only `ForgeError` is thrown.
 */
export interface Forge {
  /** The branch that pull requests are merged into. */
  base(): Promise<string>;

  issue(number: number): Promise<Issue | null>;
  openIssue(issue: NewIssue): Promise<Issue>;
  comment(issue: number, comment: NewComment): Promise<void>;
  /** Succeeds if the issue is already closed. */
  closeIssue(issue: number): Promise<void>;
  /** Issues that mention this one, or that it mentions. */
  relatedIssues(issue: number): Promise<readonly Issue[]>;

  pullRequest(number: number): Promise<PullRequest | null>;
  openPullRequest(pull: NewPullRequest): Promise<PullRequest>;
  /** Reviewers who requested changes and have not approved since, with their comments. */
  requestedChanges(pull: number): Promise<readonly string[]>;
  /** Results of external checks of a commit. */
  checks(commit: string): Promise<Checks>;
  merge(pull: number, merge: MergeRequest): Promise<MergeResult>;

  /**
   * The newest commit of a branch of the forge, fetched into the repository of this folder; null when there is no such
   * branch.
   */
  fetchBranch(workspace: string, branch: string): Promise<string | null>;
  /** Pushes the branch of this folder's repository to the forge, and returns its commit. */
  pushBranch(workspace: string, branch: string): Promise<string>;
  /** Succeeds if the branch is already gone. The base is never deleted. */
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
  /** Its merge; null while it is not merged. */
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

export interface MergeRequest {
  /** The commit that was verified. */
  readonly head: string;
  readonly strategy: MergeStrategy;
  readonly title: string;
}

export type MergeResult =
  | { readonly kind: "merged"; readonly sha: string }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** Its branch has a different commit now. */
  | { readonly kind: "moved"; readonly head: string | null }
  | { readonly kind: "refused"; readonly reason: string };

/** An operation of the forge failed. */
export class ForgeError extends Error {
  /** Whether a later retry can help. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing = false, options?: ErrorOptions) {
    super(message, options);
    this.isPassing = isPassing;
  }
}
