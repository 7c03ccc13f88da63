import type { Condition } from "../../shared/condition.ts";
import type { JsonPath, JsonRecord, JsonValue } from "../../shared/json-value.ts";
import type { Standing, SyntaxName } from "../dialect.ts";
import type { TextFormat } from "../format.ts";
import type { Outcome, Severity } from "../handoff-words.ts";

/** A format as its file describes it, checked: what the dialect is made from. */
export interface FormatModel {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly syntax: SyntaxName;
  readonly stands: Standing;
  /** Decides where another format fits a text too. */
  readonly when: Condition | null;
  readonly fields: readonly FieldModel[];
  /** Keys at the root that are no fields are errors. */
  readonly closed: boolean;
  /** What every handoff of a format without a word for outcomes means. */
  readonly outcome: Outcome | null;
  readonly rules: readonly RuleModel[];
  readonly example: JsonRecord;
  /** The content of the file as it was read, for a run to be pinned to; a schema that it points to stands inside. */
  readonly source: JsonRecord;
}

export interface FieldModel {
  /** The key in the document: in XML `@name` is an attribute and `#text` the text of the element. */
  readonly name: string;
  /** The path of the field in the format file. */
  readonly at: JsonPath;
  readonly value: ValueModel;
  readonly nullable: boolean;
  readonly required: boolean;
  readonly requiredWhen: Condition | null;
  /** The same as it is written. */
  readonly requiredText: string | null;
  readonly about: string;
  readonly example: JsonValue | undefined;
  /** What an absent value means. */
  readonly default: JsonValue | undefined;
  /** What a conversion writes when the source has nothing for a required field. */
  readonly fill: JsonValue | undefined;
  /** Where it belongs in the canonical handoff, from the nearest field around it that has a place itself. */
  readonly is: readonly string[] | null;
}

export type ValueModel =
  | {
      readonly type: "text";
      readonly words: readonly WordModel[] | null;
      readonly format: TextFormat | null;
      /** The word that means that there is none. */
      readonly none: string | null;
      readonly maxLength: number | null;
      /** Whether an empty text is a text. */
      readonly mayBeEmpty: boolean;
    }
  | {
      readonly type: "number";
      readonly integer: boolean;
      readonly minimum: number | null;
      readonly maximum: number | null;
    }
  | { readonly type: "boolean"; readonly words: readonly WordModel[] | null }
  | {
      readonly type: "list";
      readonly item: FieldModel;
      readonly minimum: number;
      /** In XML, the element of one item. */
      readonly element: string | null;
    }
  | { readonly type: "record"; readonly fields: readonly FieldModel[]; readonly closed: boolean }
  | { readonly type: "map" }
  | { readonly type: "anything" };

/** A word of the format, and the canonical word, outcome or truth value that it means. */
export interface WordModel {
  readonly word: string;
  readonly means: string | boolean;
}

/** Whether a field is this part of the canonical handoff. */
export function isPlacedAt({ is }: FieldModel, part: string): boolean {
  return is?.length === 1 && is[0] === part;
}

/** A condition between fields. */
export interface RuleModel {
  readonly id: string;
  readonly at: JsonPath;
  readonly says: string;
  readonly severity: Severity;
  readonly when: Condition | null;
  readonly require: readonly string[];
  readonly forbid: readonly string[];
  readonly check: Condition | null;
}
