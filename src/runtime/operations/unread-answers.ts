import type { Machine } from "../../ports/machine.ts";
import { type JsonRecord, shown } from "../../shared/json-value.ts";

export interface Said {
  readonly choice: string;
  readonly text: string | null;
  readonly by: string;
}

/** Answers that lie in the mailbox of a run, by question, until whoever drives it takes them in. The first counts. */
export async function unreadAnswers({ log }: Pick<Machine, "log">, run: string): Promise<Map<string, Said>> {
  const found = new Map<string, Said>();
  for (const { input } of await log.letters(run)) {
    const { kind, ask } = input;
    if (kind === "answer" && typeof ask === "string" && !found.has(ask)) found.set(ask, answerOf(input));
  }
  return found;
}

function answerOf({ choice, text, by }: JsonRecord): Said {
  return { choice: shown(choice), text: typeof text === "string" ? text : null, by: shown(by) };
}
