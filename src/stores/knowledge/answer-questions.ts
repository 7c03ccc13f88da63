import type { AnsweredStep } from "../../ports/knowledge-store.ts";
import { integerOf, textOf } from "../sqlite/rows.ts";
import { parseSaying, storedFact } from "./fact-rows.ts";
import type { Statements } from "./statements.ts";
import { record, updateFact, writeFacts } from "./write-fact.ts";

/** Inside a transaction. An answer that is told again is known by its time; asked anew since, it stays open. */
export function answerQuestions(statements: Statements, { run, step, answer, by, at }: AnsweredStep): number {
  return writeFacts(statements, (writing) => {
    let answered = 0;
    for (const { fact: number, ordinal, said } of questionsOf(statements, run, step)) {
      const fact = storedFact(statements, number);
      // What nobody has proven is proven with its answer.
      if (said !== null)
        statements.sayAgain.run(JSON.stringify({ ...parseSaying(said, fact.id), answer }), number, ordinal);
      if (!fact.saying.isBlocking || statements.answered.get(number, at, by) !== undefined) continue;
      const before = updateFact(writing, fact, { saying: { ...fact.saying, answer } });
      record(statements, number, { at, by, what: "answered", why: null, before });
      answered++;
    }
    return answered;
  });
}

interface AskedQuestion {
  readonly fact: number;
  readonly ordinal: number;
  readonly said: string | null;
}

function questionsOf(statements: Statements, run: string, step: string): AskedQuestion[] {
  return statements.questionsOfStep.all(run, step).map((row) => ({
    fact: integerOf(row, "fact"),
    ordinal: integerOf(row, "ordinal"),
    said: row["said"] === null ? null : textOf(row, "said"),
  }));
}
