import type { JsonRecord } from "../shared/json-value.ts";
import type { BodyFields } from "./body.ts";
import { FIGURE_SCHEMAS } from "./figure-schemas.ts";
import { HANDOFF_SCHEMAS } from "./handoff-schemas.ts";
import type { Parameter } from "./parameters.ts";
import { PATH_PARAMETERS, type Route, openPath, pathNames } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { RUN_SCHEMAS } from "./run-schemas.ts";
import { type Schema, named } from "./schema.ts";

/** Of every answer, by its name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = { ...RUN_SCHEMAS, ...HANDOFF_SCHEMAS, ...FIGURE_SCHEMAS };

/** Every route may answer so. */
export const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: "The request cannot be read.",
  401: "The token is missing or wrong.",
  403: "From another site, to another name, or not allowed.",
  404: "There is no such thing.",
  405: "Another method.",
  429: "Too much at once; Retry-After says when to come again.",
  500: "A fault of the server.",
};

const OTHER_ERRORS: Readonly<Record<number, string>> = {
  409: "It does not fit to where the run stands.",
  413: "The body is too large.",
  415: "The body has another content type.",
  422: "The handoff has errors; `diagnostics` lists them.",
};

/** The description of the API, OpenAPI 3.1, made from the table of routes. */
export function openApi(version: string): JsonRecord {
  const paths: Record<string, JsonRecord> = {};
  for (const route of ROUTES as readonly Route[]) {
    const path = openPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Baton",
      version,
      description:
        "What `baton serve` answers. Times are milliseconds since 1970; null is not known, which is not zero.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:4500" }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas: { ...SCHEMAS },
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "baton_session" },
        attempt: { type: "http", scheme: "bearer", description: "The token an agent was given for its attempt." },
      },
    },
  };
}

function operation(route: Route): JsonRecord {
  const { name, summary, query, answer, token } = route;
  const answered = { description: "The answer.", content: { [answer.type]: { schema: named(answer.schema) } } };
  return {
    operationId: name,
    summary,
    ...(token === "run" && { security: [{ token: [] }, { session: [] }, { attempt: [] }] }),
    parameters: [
      ...pathNames(route.path).map(pathParameter),
      ...Object.entries(query).map(queryParameter),
      ...headersOf(route),
    ],
    ...bodyOf(route),
    responses: { [answer.status]: answered, ...errorsOf(route) },
  };
}

function pathParameter(name: string): JsonRecord {
  const { about, pattern } = PATH_PARAMETERS[name] ?? { about: "", pattern: "" };
  return { name, in: "path", required: true, description: about, schema: { type: "string", pattern } };
}

function queryParameter([name, wanted]: readonly [string, Parameter]): JsonRecord {
  const style = wanted.kind === "words" ? { style: "form", explode: false } : {};
  return { name, in: "query", description: wanted.about, ...style, schema: parameterSchema(wanted) };
}

function parameterSchema(wanted: Parameter): Schema {
  switch (wanted.kind) {
    case "whole": {
      const { minimum, maximum } = wanted;
      return { type: "integer", minimum, maximum, ...(wanted.default !== undefined && { default: wanted.default }) };
    }
    case "text":
      return { type: "string", maxLength: wanted.longest };
    case "word":
      return { type: "string", enum: [...wanted.of] };
    case "words":
      return { type: "array", items: { type: "string", enum: [...wanted.of] } };
  }
}

function headersOf({ name, method }: Route): JsonRecord[] {
  if (name === "follow-events")
    return [
      { name: "Last-Event-ID", in: "header", description: "Position to go on after.", schema: { type: "string" } },
    ];
  if (method !== "POST") return [];
  return [
    {
      name: "Idempotency-Key",
      in: "header",
      required: name === "submit-handoff",
      description: "The same request again is taken once.",
      schema: { type: "string", pattern: "^[\\w.:-]{1,128}$" },
    },
    { name: "X-Baton", in: "header", description: "`1`, when the cookie is used.", schema: { type: "string" } },
  ];
}

const HANDOFF_TYPES = ["text/plain", "application/json", "application/yaml", "application/xml"];

function bodyOf({ body }: Route): JsonRecord {
  if (body === null) return {};
  if (body === "handoff") {
    const content = Object.fromEntries(HANDOFF_TYPES.map((type) => [type, { schema: { type: "string" } }]));
    return { requestBody: { required: true, description: "The text of the handoff.", content } };
  }
  return {
    requestBody: { required: hasRequired(body), content: { "application/json": { schema: bodySchema(body) } } },
  };
}

function hasRequired(fields: BodyFields): boolean {
  return Object.values(fields).some(({ required }) => required);
}

function bodySchema(fields: BodyFields): Schema {
  const properties = Object.entries(fields).map(([key, { about, longest, required }]): [string, Schema] => [
    key,
    { type: required ? "string" : ["string", "null"], maxLength: longest, description: about },
  ]);
  const required = Object.entries(fields).flatMap(([key, field]) => (field.required ? [key] : []));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function errorsOf({ errors }: Route): JsonRecord {
  const known: Record<string, string> = {
    ...COMMON_ERRORS,
    ...Object.fromEntries(errors.map((status) => [status, OTHER_ERRORS[status] ?? ""])),
  };
  return Object.fromEntries(
    Object.entries(known).map(([status, description]) => [
      status,
      { description, content: { "application/json": { schema: named("ErrorAnswer") } } },
    ]),
  );
}
