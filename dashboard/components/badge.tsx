import type { ReactNode } from "react";
import type { Judgement, Severity, Tone } from "../../src/api/answers.ts";
import { Icon, type IconName } from "./icons.tsx";

/** The colours of meaning. Each comes with an icon and a word: colour alone says nothing. */
export type Meaning = "good" | "bad" | "warning" | "person" | "active" | "plain";

export interface Look {
  readonly meaning: Meaning;
  readonly icon: IconName;
  readonly word: string;
}

export function Badge({ look, note }: { readonly look: Look; readonly note?: string }): ReactNode {
  return (
    <span className={`badge badge--${look.meaning}`} {...(note === undefined ? {} : { title: note })}>
      <Icon name={look.icon} size={13} />
      {look.word}
    </span>
  );
}

export const RUN_LOOKS = {
  running: { meaning: "active", icon: "play", word: "Running" },
  watched: { meaning: "active", icon: "eye", word: "Watched" },
  waiting: { meaning: "person", icon: "person", word: "Waits for you" },
  stalled: { meaning: "warning", icon: "hourglass", word: "Stalled" },
  completed: { meaning: "good", icon: "check", word: "Completed" },
  failed: { meaning: "bad", icon: "cross", word: "Failed" },
  cancelled: { meaning: "plain", icon: "stop", word: "Cancelled" },
} as const satisfies Record<string, Look>;

const NO_SIGN: Look = { meaning: "warning", icon: "hourglass", word: "No sign" };
/** Its client has ended it; the remarks and its agents say what is proven. */
const SESSION_ENDED: Look = { meaning: "good", icon: "check", word: "Ended" };
const NOT_PROVEN: Look = { meaning: "warning", icon: "warning", word: "Completed, with remarks" };
const SESSION_NOT_PROVEN: Look = { ...NOT_PROVEN, word: "Ended, remarks" };

interface Standing {
  readonly status: keyof typeof RUN_LOOKS;
  readonly is_observed: boolean;
  readonly idle_since: number | null;
}

/** A session ends when its client does, which says nothing of its work. */
export function runLook({ status, is_observed: isSession, idle_since: idle }: Standing, hasRemarks: boolean): Look {
  if (idle !== null) return NO_SIGN;
  if (status !== "completed") return RUN_LOOKS[status];
  if (hasRemarks) return isSession ? SESSION_NOT_PROVEN : NOT_PROVEN;
  return isSession ? SESSION_ENDED : RUN_LOOKS.completed;
}

const STEP_LOOKS: Readonly<Record<string, Look>> = {
  working: { meaning: "active", icon: "play", word: "Working" },
  asking: { meaning: "person", icon: "person", word: "Asks you" },
  waiting: { meaning: "plain", icon: "circle", word: "Not yet" },
  "not-started": { meaning: "plain", icon: "circle", word: "Not started" },
  stopped: { meaning: "plain", icon: "stop", word: "Stopped" },
  done: { meaning: "good", icon: "check", word: "Done" },
  "done-with-warnings": { meaning: "good", icon: "warning", word: "Done, warnings" },
  "needs-review": { meaning: "warning", icon: "question", word: "Needs review" },
  "needs-fixes": { meaning: "warning", icon: "loop", word: "Needs fixes" },
  failed: { meaning: "bad", icon: "cross", word: "Failed" },
  blocked: { meaning: "warning", icon: "stop", word: "Blocked" },
  "in-progress": { meaning: "active", icon: "play", word: "In progress" },
  pending: { meaning: "plain", icon: "circle", word: "Pending" },
  skipped: { meaning: "plain", icon: "arrow", word: "Skipped" },
  cancelled: { meaning: "plain", icon: "stop", word: "Cancelled" },
  finished: { meaning: "good", icon: "check", word: "Finished" },
  refused: { meaning: "bad", icon: "cross", word: "Refused" },
  crashed: { meaning: "bad", icon: "cross", word: "Crashed" },
  "timed-out": { meaning: "bad", icon: "hourglass", word: "Timed out" },
  flooded: { meaning: "bad", icon: "cross", word: "Said too much" },
  "could-not-start": { meaning: "bad", icon: "cross", word: "Could not start" },
  "not-seen": { meaning: "plain", icon: "circle", word: "Not seen" },
  "no-sign": NO_SIGN,
  "no-handoff": { meaning: "warning", icon: "question", word: "No handoff read" },
  lost: { meaning: "warning", icon: "question", word: "Lost" },
};

/** Of an agent, a step, a task or an attempt. */
export function stepLook(status: string): Look {
  return STEP_LOOKS[status] ?? otherLook(status);
}

function otherLook(word: string): Look {
  return { meaning: "plain", icon: "dot", word };
}

export const VERDICT_LOOKS: Readonly<Record<Judgement["verdict"], Look>> = {
  confirmed: { meaning: "good", icon: "check", word: "Confirmed" },
  refuted: { meaning: "bad", icon: "cross", word: "Refuted" },
  unverifiable: { meaning: "plain", icon: "question", word: "Unverifiable" },
};

export const SEVERITY_LOOKS: Readonly<Record<Severity, Look>> = {
  error: { meaning: "bad", icon: "cross", word: "Error" },
  warning: { meaning: "warning", icon: "warning", word: "Warning" },
  info: { meaning: "plain", icon: "info", word: "Note" },
};

/** Of issues and facts, in whatever words the dialect has. */
export function gravityLook(severity: string): Look {
  const word = severity.toLowerCase();
  if (/^(?:critical|blocker|high|major|error)$/.test(word)) return { meaning: "bad", icon: "warning", word: severity };
  if (/^(?:medium|moderate|warning)$/.test(word)) return { meaning: "warning", icon: "warning", word: severity };
  return { meaning: "plain", icon: "info", word: severity };
}

export const TONE_LOOKS: Readonly<Record<Tone, Look>> = {
  good: { meaning: "good", icon: "check", word: "Good" },
  bad: { meaning: "bad", icon: "cross", word: "Bad" },
  warning: { meaning: "warning", icon: "warning", word: "Warning" },
  person: { meaning: "person", icon: "person", word: "Person" },
  plain: { meaning: "plain", icon: "dot", word: "Event" },
  quiet: { meaning: "plain", icon: "dot", word: "Detail" },
};
