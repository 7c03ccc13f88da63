import type { JsonRecord } from "../shared/json-value.ts";
import { ANSWER_SCHEMAS, answerReference } from "./answers.ts";
import type { Field } from "../protocol/shape.ts";
import { shapeSchema } from "../protocol/json-schema.ts";
import { type ApiRoute, PATH_FIELDS, type RequestFields, pathNames } from "./route.ts";
import { ROUTES } from "./routes.ts";

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
  for (const route of ROUTES as readonly ApiRoute[]) {
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
      schemas: { ...ANSWER_SCHEMAS },
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "baton_session" },
        attempt: { type: "http", scheme: "bearer", description: "The token an agent was given for its attempt." },
      },
    },
  };
}

function operation(route: ApiRoute): JsonRecord {
  const { name, summary, query, answer, token } = route;
  const answered = {
    description: "The answer.",
    content: { [answer.type]: { schema: answerReference(answer.schema) } },
  };
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

/** `/api/runs/{run}`. */
function openPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function pathParameter(name: string): JsonRecord {
  const wanted = PATH_FIELDS[name];
  if (wanted === undefined) throw new Error(`The path parameter ${name} is not described`);
  return { name, in: "path", required: true, description: wanted.about, schema: requestSchema(wanted) };
}

function queryParameter([name, wanted]: readonly [string, Field]): JsonRecord {
  const style = wanted.shape.kind === "list" ? { style: "form", explode: false } : {};
  const fallback = wanted.default === undefined ? {} : { default: wanted.default };
  return { name, in: "query", description: wanted.about, ...style, schema: { ...requestSchema(wanted), ...fallback } };
}

/** Requests have no records within them. */
function requestSchema({ shape }: Field): JsonRecord {
  return shapeSchema(shape, { record: () => ({ type: "object" }), named: () => null });
}

function headersOf({ name, method }: ApiRoute): JsonRecord[] {
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

function bodyOf({ body }: ApiRoute): JsonRecord {
  if (body === null) return {};
  if (body === "handoff") {
    const content = Object.fromEntries(HANDOFF_TYPES.map((type) => [type, { schema: { type: "string" } }]));
    return { requestBody: { required: true, description: "The text of the handoff.", content } };
  }
  return {
    requestBody: { required: hasRequired(body), content: { "application/json": { schema: bodySchema(body) } } },
  };
}

function hasRequired(fields: RequestFields): boolean {
  return Object.values(fields).some(({ required }) => required);
}

function bodySchema(fields: RequestFields): JsonRecord {
  const properties = Object.entries(fields).map(([key, wanted]): [string, JsonRecord] => {
    const type = wanted.required ? "string" : ["string", "null"];
    return [key, { ...requestSchema(wanted), type, description: wanted.about }];
  });
  const required = Object.entries(fields).flatMap(([key, wanted]) => (wanted.required ? [key] : []));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function errorsOf({ errors }: ApiRoute): JsonRecord {
  const known: Record<string, string> = {
    ...COMMON_ERRORS,
    ...Object.fromEntries(errors.map((status) => [status, OTHER_ERRORS[status] ?? ""])),
  };
  return Object.fromEntries(
    Object.entries(known).map(([status, description]) => [
      status,
      { description, content: { "application/json": { schema: answerReference("ErrorAnswer") } } },
    ]),
  );
}
