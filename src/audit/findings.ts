import type { AuditFinding, AuditFindingCode } from "../views/audit-report.ts";

/** The most findings that a report lists; the rest is counted. */
export const MAX_AUDIT_FINDINGS = 50;

/** `1 entry`, `2 entries`. */
export function entriesIn(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}

interface FindingPlace {
  readonly position?: number | null;
  readonly run?: string | null;
  readonly sequence?: number | null;
  readonly row?: string;
}

/** Collects findings up to a limit, so that a ruined log cannot fill the memory. */
export class FindingCollector {
  readonly list: AuditFinding[] = [];
  more = 0;

  add(code: AuditFindingCode, message: string, where: FindingPlace = {}): void {
    if (this.list.length >= MAX_AUDIT_FINDINGS) {
      this.more++;
      return;
    }
    const { position = null, run = null, sequence = null, row = null } = where;
    this.list.push({ code, message, position, run, sequence, row, ...EXPLANATIONS[code] });
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }
}

const RESTORE =
  "Keep a copy of the state folder as evidence, then restore a backup; `baton audit verify` checks the backup too.";
const COMPARE = "Compare with an earlier backup or export to see what was there. " + RESTORE;
const OTHER_COPY = "Export it again from the log: baton audit export FILE.";

const EXPLANATIONS: Readonly<Record<AuditFindingCode, Pick<AuditFinding, "meaning" | "remedy">>> = {
  "damaged-file": {
    meaning: "The file is not as Baton wrote it: the disk is failing, or its bytes or tables were edited.",
    remedy: RESTORE,
  },
  "entry-changed": {
    meaning: "This entry is not the one that was written.",
    remedy: COMPARE,
  },
  "entry-missing": { meaning: "An entry was removed from the log.", remedy: COMPARE },
  "entry-emptied": {
    meaning: "The data of an entry were removed, and not by `baton prune`.",
    remedy: COMPARE,
  },
  "register-changed": {
    meaning:
      "An entry of the register, which tells of the creation and the end of each run and of pruning, was changed.",
    remedy: COMPARE,
  },
  "register-missing": {
    meaning: "An entry of the register was removed, and with it that a run was created, has ended or was pruned.",
    remedy: COMPARE,
  },
  "checkpoint-changed": {
    meaning: "A checkpoint does not match the log or the checkpoints around it: one of them was changed.",
    remedy: COMPARE,
  },
  "checkpoint-missing": {
    meaning: "A checkpoint was removed, and with it a part of the proof.",
    remedy: COMPARE,
  },
  "checkpoint-unsigned": {
    meaning: "The log is signed, but its last checkpoint is not: anyone can have written it, and what it says.",
    remedy: `If the reason it gives is yours, remove it and sign with baton audit head; if that does not sign, with baton audit accept. Otherwise: ${RESTORE}`,
  },
  "wrong-signature": { meaning: "This was not signed with the key that it names.", remedy: COMPARE },
  "unknown-key": {
    meaning: "The key that signed is not known here: it may be a colleague's, another machine's, or a forger's.",
    remedy: "If you know its owner, get the public key from them (baton audit key) and give it with --key FILE.",
  },
  "cut-off": {
    meaning:
      "The log ends before the head that was last signed here: its end was removed, or an older copy replaced it.",
    remedy: `${RESTORE} If you restored an older backup yourself: baton audit accept.`,
  },
  replaced: {
    meaning: "This is not the log that was signed for this repository before.",
    remedy:
      "If you removed or moved the old log yourself: baton audit accept. Otherwise find out who did, and restore a backup.",
  },
  "wrong-head": {
    meaning: "The entry at this position is not the one that was there when the head was noted: the log was rewritten.",
    remedy: COMPARE,
  },
  "run-changed": {
    meaning: "The row of this run, which lists and reports show, does not match its entries.",
    remedy: COMPARE,
  },
  "run-added": {
    meaning: "The register does not have this run: Baton did not create it.",
    remedy: COMPARE,
  },
  "run-missing": { meaning: "A run was removed.", remedy: COMPARE },
  "text-changed": { meaning: "The text of a handoff is not the one that was submitted.", remedy: COMPARE },
  "text-missing": { meaning: "The text of a handoff was removed.", remedy: COMPARE },
  "workflow-changed": {
    meaning: "The stored workflow is not the one that its runs were started with.",
    remedy: COMPARE,
  },
  "workflow-missing": { meaning: "The workflow that a run was started with was removed.", remedy: COMPARE },
  "letter-changed": {
    meaning: "An inbox message of a run is not the one that was sent, or is marked as taken when it was not.",
    remedy: "Do not resume the run before you know who sent what. " + COMPARE,
  },
  "letter-missing": { meaning: "A message was removed from the inbox of a run.", remedy: COMPARE },
  "pruned-unsigned": {
    meaning: "Data were removed, and no signature that is known here confirms that `baton prune` did it.",
    remedy: `If you pruned while nothing could be signed: baton audit accept. Otherwise: ${RESTORE}`,
  },
  "knowledge-changed": {
    meaning: "What agents are told was changed by something else than Baton, or its file was replaced.",
    remedy:
      "`baton knowledge rebuild` removes what was changed and learns it again from the log. If you restored the file yourself: baton audit accept.",
  },
  "export-changed": { meaning: "The exported file is not as it was written.", remedy: OTHER_COPY },
  "export-cut-off": { meaning: "The exported file ends too early.", remedy: OTHER_COPY },
};
