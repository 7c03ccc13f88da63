import { type AuditFinding, type AuditFindingCode, MOST_FINDINGS } from "./report.ts";

export interface Where {
  readonly position?: number | null;
  readonly run?: string | null;
  readonly sequence?: number | null;
  readonly row?: string;
}

/** Collects what is wrong; a log that was ruined altogether does not fill the memory. */
export class Findings {
  readonly list: AuditFinding[] = [];
  more = 0;

  add(code: AuditFindingCode, message: string, where: Where = {}): void {
    if (this.list.length >= MOST_FINDINGS) {
      this.more++;
      return;
    }
    const { position = null, run = null, sequence = null, row = null } = where;
    this.list.push({ code, message, position, run, sequence, row, ...WORDS[code] });
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }
}

const RESTORE =
  "Keep a copy of the state folder as evidence, then put a backup in its place; `baton audit verify` checks that, too.";
const COMPARE = "Compare with a backup or an export from before to see what stood there. " + RESTORE;
const OTHER_COPY = "Export it again where the log is: baton audit export FILE.";

/** What it means, and what to do. */
const WORDS: Readonly<Record<AuditFindingCode, Pick<AuditFinding, "meaning" | "remedy">>> = {
  "damaged-file": {
    meaning: "The file is not as Baton wrote it: a failing disk, or somebody edited the bytes or the tables.",
    remedy: RESTORE,
  },
  "entry-changed": {
    meaning: "What the log says happened here is not what was written then.",
    remedy: COMPARE,
  },
  "entry-missing": { meaning: "Something that happened was taken out of the log.", remedy: COMPARE },
  "entry-emptied": {
    meaning: "The content of an entry was taken away, and not by `baton prune`.",
    remedy: COMPARE,
  },
  "checkpoint-changed": {
    meaning: "A checkpoint does not fit the log or the checkpoints around it: one of them was changed.",
    remedy: COMPARE,
  },
  "checkpoint-missing": {
    meaning: "A checkpoint that was made is gone: a part of the proof was taken away.",
    remedy: COMPARE,
  },
  "wrong-signature": { meaning: "This was not signed with the key that it names.", remedy: COMPARE },
  "unknown-key": {
    meaning: "Somebody whose key is not known here has signed: a colleague, another machine, or a forger.",
    remedy: "If you know whose it is, get the public key from there (baton audit key) and give it with --key FILE.",
  },
  "cut-off": {
    meaning:
      "The log ends before what was last signed here: its end was cut off, or an older copy stands in its place.",
    remedy: `${RESTORE} If you have put an older backup there yourself: baton audit accept.`,
  },
  replaced: {
    meaning: "The log that stands here is not the one that was signed here before.",
    remedy:
      "If you have removed the old one yourself: baton audit accept. Else look for who did, and restore a backup.",
  },
  "wrong-head": {
    meaning: "The log holds something else at this position than when its head was noted: it was rewritten.",
    remedy: COMPARE,
  },
  "run-changed": {
    meaning: "What lists and reports say about this run is not what its entries have left.",
    remedy: COMPARE,
  },
  "run-missing": { meaning: "A run that was there is gone.", remedy: COMPARE },
  "text-changed": { meaning: "The text of a handoff is not the one that was handed in.", remedy: COMPARE },
  "text-missing": { meaning: "The text of a handoff is gone.", remedy: COMPARE },
  "workflow-changed": {
    meaning: "The workflow that runs were started with is not the one that decided.",
    remedy: COMPARE,
  },
  "workflow-missing": { meaning: "The workflow that a run was started with is gone.", remedy: COMPARE },
  "letter-changed": {
    meaning: "What somebody told a run is not what was posted, or counts as taken when it was not.",
    remedy: "Do not resume the run before you know who told it what. " + COMPARE,
  },
  "letter-missing": { meaning: "Something that was told to a run is gone from its mailbox.", remedy: COMPARE },
  "pruned-unsigned": {
    meaning: "Contents were taken away since the last checkpoint, and no signature says that it was `baton prune`.",
    remedy: `If you have just pruned: baton audit head signs it. Else: ${RESTORE}`,
  },
  "export-changed": { meaning: "The exported file is not as it was written.", remedy: OTHER_COPY },
  "export-cut-off": { meaning: "The exported file ends too early.", remedy: OTHER_COPY },
};
