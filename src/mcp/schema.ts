import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { readArguments } from "../api/read-request.ts";
import type { RequestFields } from "../api/route.ts";
import { describeMismatch, findMismatch } from "../protocol/find-mismatch.ts";
import { shapeSchema } from "../protocol/json-schema.ts";
import type { Field, RecordOf, RecordShape, Shape } from "../protocol/shape.ts";
import { AppError } from "../shared/app-error.ts";
import type { JsonRecord } from "../shared/json-value.ts";

/** The arguments of a tool or a prompt, checked and described by the same fields. */
export function argumentsSchema<F extends RequestFields>(fields: F): StandardSchemaWithJSON<unknown, RecordOf<F>> {
  const schema = recordSchema(fields);
  return standard(schema, (value) => {
    try {
      return { value: readArguments(fields, value) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { issues: [{ message: `${error.message} ${error.hint}` }] };
    }
  });
}

/** What a tool answers with. */
export function answerSchema<T>(shape: Shape<T>): StandardSchemaWithJSON<unknown, T> {
  return standard(schemaOf(shape), (value) => {
    const found = findMismatch(shape, value);
    return found === null ? { value: value as T } : { issues: [{ message: describeMismatch(found) }] };
  });
}

type Checked<T> = { readonly value: T } | { readonly issues: readonly { readonly message: string }[] };

/** The form in which the SDK takes a schema, whatever made it (https://standardschema.dev). */
function standard<T>(schema: JsonRecord, validate: (value: unknown) => Checked<T>): StandardSchemaWithJSON<unknown, T> {
  const described = (): Record<string, unknown> => ({ ...schema });
  return {
    "~standard": { version: 1, vendor: "baton", validate, jsonSchema: { input: described, output: described } },
  };
}

function schemaOf(shape: Shape): JsonRecord {
  return shapeSchema(shape, { record: ({ fields }: RecordShape) => recordSchema(fields), named: () => null });
}

function recordSchema(fields: RecordShape["fields"]): JsonRecord {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.required && field.default === undefined).map(([key]) => key);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, field]) => [key, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function fieldSchema({ shape, about, default: usual }: Field): JsonRecord {
  return {
    ...schemaOf(shape),
    ...(about !== "" && { description: about }),
    ...(usual !== undefined && { default: usual }),
  };
}
