import type { JsonValue } from "../../../shared/json-value.ts";
import type { Standing, SyntaxName } from "../../dialect.ts";
import type { FieldType } from "../field-keys.ts";

import { UNANSWERED } from "../unanswered.ts";

/** A format file that was learned, before it is printed. */
export interface FormatDraft {
  readonly name: string;
  readonly syntax: SyntaxName;
  readonly stands: Standing;
  /** Comments on `stands`. */
  readonly standsNotes: readonly string[];
  /** Decides where a text fits one of the five formats as well. */
  readonly when: string | null;
  readonly fields: readonly DraftField[];
  /** Whether the outcome must be answered for the whole format, because no field says it. */
  readonly asksOutcome: boolean;
  readonly questions: DraftQuestions;
  /** Comments at the top. */
  readonly notes: readonly string[];
}

export interface DraftField {
  readonly name: string;
  type: FieldType;
  required: boolean;
  requiredWhen: string | null;
  nullable: boolean;
  mayBeEmpty: boolean;
  format: string | null;
  words: readonly DraftWord[] | null;
  is: string | null;
  about: string | null;
  example: JsonValue | undefined;
  /** The word that an absent outcome means. */
  default: string | null;
  readonly fields: readonly DraftField[];
  readonly item: DraftField | null;
  readonly element: string | null;
  /** Comments above the field: how often it was seen, and why it is taken for what. */
  readonly notes: string[];
}

/** A word, and what it means: null where it only stands for itself. */
export interface DraftWord {
  readonly word: string;
  readonly means: string | null;
  /** A comment behind it. */
  readonly note: string | null;
}

/** What the documents do not say. Each question stands where its answer belongs, and in the report. */
export class DraftQuestions {
  readonly texts: string[] = [];

  /** Gives the comment that stands at the place of the answer. */
  ask(question: string): string {
    this.texts.push(question);
    return `question ${this.texts.length}`;
  }
}

/** What stands where an answer belongs. */
export const OPEN_ANSWER = UNANSWERED;
