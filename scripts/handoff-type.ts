import { handoffShape } from "../src/protocol/handoff.ts";
import { OUTCOMES } from "../src/protocol/handoff-words.ts";
import type { Field, RecordShape, Shape, TextShape } from "../src/protocol/shape.ts";

/** The text of `src/protocol/handoff-type.ts`: the type of a canonical handoff, with the sentence of each field. */
export function handoffTypeText(): string {
  return `// Written by \`npm run reference\` from \`handoffShape\`; do not edit.
import type { JsonRecord } from "../shared/json-value.ts";
import type { DialectName, Outcome } from "./handoff-words.ts";

/**
 * The canonical handoff: what every dialect is read into and written from. Keys are the words of the formats. Items of
 * lists are open: a key that is not named here stays on its item as its author wrote it.
 */
export type Handoff = {
  /** Dialect that it was read from. */
  readonly dialect: DialectName;
${fieldsOf(handoffShape, "  ")}
};
`;
}

function fieldsOf(shape: RecordShape, indent: string): string {
  return Object.entries(shape.fields)
    .map(([key, field]) => `${indent}/** ${field.about} */\n${indent}${key}${typeOfField(field, indent)};`)
    .join("\n");
}

function typeOfField({ shape, required }: Field, indent: string): string {
  const type = typeOf(shape, indent);
  return required ? `: ${type}` : `?: ${type} | undefined`;
}

function typeOf(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case "text":
      return textType(shape);
    case "number":
    case "boolean":
      return shape.kind;
    case "list":
      return listType(typeOf(shape.item, indent));
    case "nullable":
      return `${typeOf(shape.of, indent)} | null`;
    case "record":
      return `{\n${fieldsOf(shape, `${indent}  `)}\n${indent}}`;
    case "map":
      return shape.values.kind === "anything" ? "JsonRecord" : `Record<string, ${typeOf(shape.values, indent)}>`;
    case "literal":
    case "union":
    case "anything":
      throw new Error(`a canonical handoff has no field of the kind ${shape.kind}`);
  }
}

function textType({ oneOf, words = oneOf }: TextShape): string {
  if (words === OUTCOMES) return "Outcome";
  return words?.map((word) => JSON.stringify(word)).join(" | ") ?? "string";
}

function listType(item: string): string {
  return item.startsWith("{") || !item.includes(" | ") ? `${item}[]` : `(${item})[]`;
}
