// Written by `npm run reference` from `handoffShape`; do not edit.
import type { JsonRecord } from "../shared/json-value.ts";
import type { DialectName, Outcome } from "./handoff-words.ts";

/**
 * The canonical handoff: what every dialect is read into and written from. Keys are the words of the formats. Items of
 * lists are open: a key that is not named here stays on its item as its author wrote it.
 */
export type Handoff = {
  /** Dialect that it was read from. */
  readonly dialect: DialectName;
  /** Agent that wrote it, as it says itself. */
  from?: string | undefined;
  /** Agent it is meant for; null when there is none. */
  to?: string | null | undefined;
  /** True when the author says that the run is over. */
  final?: boolean | undefined;
  /** When it was written, ISO 8601. */
  at?: string | undefined;
  /** Task it belongs to. */
  task?: {
    /** Id of the task. */
    id?: string | undefined;
    /** Name of the task. */
    name?: string | undefined;
  } | undefined;
  /** Issue it belongs to. */
  issue?: {
    /** Number of the issue, as text. */
    number?: string | undefined;
    /** Address of the issue. */
    url?: string | undefined;
    /** Title of the issue. */
    title?: string | undefined;
    /** What kind of issue it is: feature, bug, enhancement, refactor or chore. */
    type?: "feature" | "bug" | "enhancement" | "refactor" | "chore" | undefined;
    /** How urgent it is: critical, high, medium or low. */
    priority?: "critical" | "high" | "medium" | "low" | undefined;
  } | undefined;
  /** Pull request it belongs to. */
  pull_request?: {
    /** Number of the pull request, as text. */
    number?: string | undefined;
    /** Address of the pull request. */
    url?: string | undefined;
  } | undefined;
  /** Phase, in the dialect's own word. */
  phase?: string | undefined;
  /** Round of the run, from 1. */
  iteration?: number | undefined;
  /** How often the work was tried again. */
  attempt?: number | undefined;
  /** How the work ended. */
  outcome: Outcome;
  /** How the work ended, in the dialect's own word. */
  status?: string | undefined;
  /** What was done. */
  summary?: string | undefined;
  /** What is asked for. */
  requirements?: string[] | undefined;
  /** What was made. */
  work?: {
    /** Files that were created. */
    created?: {
      /** Path of the file from the project root. */
      path?: string | undefined;
      /** What the file is for. */
      purpose?: string | undefined;
      /** Which lines: N-M or all. */
      lines?: string | undefined;
      /** What was done to the file: add, modify, delete or refactor. */
      change_type?: "add" | "modify" | "delete" | "refactor" | undefined;
      /** What changed and why. */
      description?: string | undefined;
    }[] | undefined;
    /** Files that were modified. */
    modified?: {
      /** Path of the file from the project root. */
      path?: string | undefined;
      /** What the file is for. */
      purpose?: string | undefined;
      /** Which lines: N-M or all. */
      lines?: string | undefined;
      /** What was done to the file: add, modify, delete or refactor. */
      change_type?: "add" | "modify" | "delete" | "refactor" | undefined;
      /** What changed and why. */
      description?: string | undefined;
    }[] | undefined;
    /** Outputs to look at. */
    artifacts?: {
      /** What kind of file it is: source_file, test_file, documentation, config_file or report. */
      type?: "source_file" | "test_file" | "documentation" | "config_file" | "report" | undefined;
      /** Path or glob from the project root. */
      path?: string | undefined;
      /** What it is for. */
      purpose?: string | undefined;
      /** How important it is to look at it: critical, high, medium or low. */
      priority?: "critical" | "high" | "medium" | "low" | undefined;
    }[] | undefined;
    /** Commits that were made. */
    commits?: {
      /** Id of the commit. */
      sha?: string | undefined;
      /** First line of its message. */
      message?: string | undefined;
    }[] | undefined;
    /** Branch that the work is on. */
    branch?: string | undefined;
    /** Where the work was done. */
    workspace?: {
      /** Where the workspace is. */
      path?: string | undefined;
      /** What kind of workspace it is: worktree, in-place or cloud. */
      type?: "worktree" | "in-place" | "cloud" | undefined;
      /** Port that is reserved for it. */
      port?: string | undefined;
    } | undefined;
    /** How the work was merged. */
    merge?: {
      /** Whether it was merged: merged. */
      status?: "merged" | undefined;
      /** Id of the merge commit. */
      sha?: string | undefined;
      /** How it was merged: squash, merge or rebase. */
      strategy?: string | undefined;
    } | undefined;
    /** What kind of output this is. */
    output_type?: string | undefined;
    /** Directory of the feature. */
    directory?: string | undefined;
    /** Skills that were used. */
    skills?: string[] | undefined;
    /** Library skills that were read. */
    library_skills?: string[] | undefined;
    /** Places in the source that were read: path:start-end. */
    verified?: string[] | undefined;
    /** Closing actions that were taken. */
    actions?: string[] | undefined;
  } | undefined;
  /** What to know. */
  context?: {
    /** What the next agent must know. */
    text?: string | undefined;
    /** Decisions that were taken, and why. */
    decisions?: string[] | undefined;
    /** Known limits of the work. */
    limitations?: string[] | undefined;
    /** What was taken for granted. */
    assumptions?: string[] | undefined;
    /** Other context, by name. */
    data?: JsonRecord | undefined;
  } | undefined;
  /** What was found. */
  findings?: {
    /** Problems that were found. */
    issues?: {
      /** Name of the issue, unique in the run. */
      id?: string | undefined;
      /** How bad it is: critical, high, medium or low; issue-xml knows critical and important. */
      severity?: "critical" | "high" | "medium" | "low" | "important" | undefined;
      /** What kind of problem it is: bug, security, performance or quality. */
      category?: string | undefined;
      /** Where it is: file:line. */
      location?: string | undefined;
      /** What is wrong. */
      description?: string | undefined;
      /** How to fix it. */
      remediation?: string | undefined;
      /** Whether it is still open: open, fixed or wontfix. */
      status?: "open" | "fixed" | "wontfix" | undefined;
    }[] | undefined;
    /** Fixes that were applied. */
    fixes?: {
      /** Where it is: file:line. */
      location?: string | undefined;
      /** What kind of check or change it is. */
      type?: string | undefined;
      /** What it is, in words. */
      description?: string | undefined;
    }[] | undefined;
    /** Checks that failed. */
    failures?: {
      /** Where it is: file:line. */
      location?: string | undefined;
      /** What kind of check or change it is. */
      type?: string | undefined;
      /** What it is, in words. */
      description?: string | undefined;
    }[] | undefined;
    /** Ids of issues that are now resolved. */
    resolved?: string[] | undefined;
    /** Problems that the fixes brought. */
    new_issues?: string[] | undefined;
    /** Verdict of a review and its counts. */
    review?: JsonRecord | undefined;
  } | undefined;
  /** What was learned. */
  knowledge?: {
    /** Patterns to follow. */
    patterns?: {
      /** Id of the pattern: pattern-001. */
      id?: string | undefined;
      /** The pattern, in one sentence. */
      pattern?: string | undefined;
      /** Where it is used. */
      location?: string | undefined;
      /** Tags that say when to use it. */
      applies_to?: string[] | undefined;
    }[] | undefined;
    /** Traps to avoid. */
    gotchas?: {
      /** Id of the gotcha: gotcha-001. */
      id?: string | undefined;
      /** The trap, in one sentence. */
      issue?: string | undefined;
      /** Where it was found. */
      discovered_in?: string | undefined;
      /** How to avoid it. */
      mitigation?: string | undefined;
      /** How much harm it does: high, medium or low. */
      severity?: "high" | "medium" | "low" | undefined;
    }[] | undefined;
  } | undefined;
  /** Questions that are open. */
  questions?: {
    /** What is open. */
    question?: string | undefined;
    /** Why it matters. */
    context?: string | undefined;
    /** Answer that the agent proposes. */
    recommendation?: string | undefined;
    /** Whether it stops the next tasks. */
    blocking?: boolean | undefined;
  }[] | undefined;
  /** Steps that the agent suggests. */
  next_steps?: {
    /** What should happen. */
    step?: string | undefined;
    /** How urgent it is: high, medium or low. */
    priority?: "high" | "medium" | "low" | undefined;
    /** What it needs first. */
    depends_on?: string[] | undefined;
  }[] | undefined;
  /** What blocks the work. */
  blockers?: {
    /** What blocks the work. */
    description?: string | undefined;
    /** What kind of blocker it is. */
    type?: string | undefined;
    /** What cannot be done because of it. */
    impact?: string | undefined;
    /** How it could be resolved. */
    resolution?: string | undefined;
    /** Tasks that wait for it. */
    blocks?: string[] | undefined;
  }[] | undefined;
  /** Files the next agent should read. */
  files_to_read?: {
    /** Path of the file. */
    file?: string | undefined;
    /** Why to read it. */
    reason?: string | undefined;
  }[] | undefined;
  /** Tasks this depends on or affects. */
  depends_on?: string[] | undefined;
  /** What must be tested. */
  test_requirements?: {
    /** Percent of lines that tests have to cover. */
    coverage?: number | undefined;
    /** What must be tested. */
    critical_paths?: string[] | undefined;
    /** Edge cases that must be tested. */
    edge_cases_to_test?: string[] | undefined;
  } | undefined;
  /** How to check the work, and what was reported. */
  checks?: {
    /** Command that shows that the work is done. */
    command?: string | undefined;
    /** What success looks like. */
    expected_result?: string | undefined;
    /** Criteria of completion. */
    checklist?: string[] | undefined;
    /** Verdict of the validation. */
    status?: string | undefined;
    /** State of the prepared workspace. */
    environment?: JsonRecord | undefined;
    /** Results as the agent reports them. */
    results?: JsonRecord | undefined;
  } | undefined;
  /** Figures, an open set. */
  metrics?: JsonRecord | undefined;
  /** What should happen next; the workflow decides. */
  routing?: {
    /** Request to send the work back. */
    loop?: {
      /** Whether the work goes back. */
      required?: boolean | undefined;
      /** Agent that it goes back to. */
      target?: string | null | undefined;
      /** Why it goes back. */
      reason?: string | null | undefined;
    } | undefined;
    /** Phase that should follow. */
    next_phase?: string | undefined;
    /** What to do when this fails. */
    on_failure?: {
      /** How often to try again at most. */
      retry?: number | undefined;
      /** Agent that takes the failure over. */
      route_to?: string | undefined;
      /** Agent that is told of the failure. */
      notify?: string | undefined;
      /** Failures after which the delegator is asked. */
      escalate_after?: number | undefined;
      /** What the agent that takes over should know. */
      context?: string | undefined;
    } | undefined;
    /** Why the work stopped. */
    blocked_reason?: string | undefined;
    /** What was tried before giving up. */
    attempted?: string[] | undefined;
  } | undefined;
  /** Why the work failed. */
  error?: {
    /** What kind of error it is. */
    type?: string | undefined;
    /** What happened. */
    message?: string | undefined;
    /** More about what happened. */
    details?: string | undefined;
    /** Whether another try can help. */
    recoverable?: boolean | undefined;
    /** What to do about it. */
    suggested_action?: string | undefined;
  } | undefined;
  /** Fields a dialect does not name, kept by dialect. */
  extensions?: JsonRecord | undefined;
  /** Numbers that do not print as they were written, such as 7.0: by dialect, then by place in its document. */
  spelling?: Record<string, Record<string, string>> | undefined;
};
