import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/**
 * GitHub's own description of its API, as it publishes it. The package unpacks to 385 MB, of which these tests need
 * a hundredth: it is fetched when a test first asks for it, and only what is needed of it is kept.
 */
const PACKAGE = "@octokit/openapi";
const VERSION = "23.0.2";
/** Of what is kept: another number when more of it is needed. */
const PART = 2;
const FILE = "package/generated/api.github.com.json";
const folder = join(import.meta.dirname, "../../.bench-peers/github");

const HOME = "/repos/{owner}/{repo}";
const NEEDED: readonly string[] = [
  "",
  "/issues",
  "/issues/{issue_number}",
  "/issues/{issue_number}/comments",
  "/issues/{issue_number}/timeline",
  "/pulls",
  "/pulls/{pull_number}",
  "/pulls/{pull_number}/merge",
  "/pulls/{pull_number}/reviews",
  "/commits/{ref}/check-runs",
  "/commits/{ref}/status",
  "/git/refs/{ref}",
].map((path) => HOME + path);

interface Document extends JsonRecord {
  paths: Record<string, Record<string, JsonRecord>>;
  components: Record<string, Record<string, JsonValue>>;
}

/** Null, with a word about it, when it cannot be had; in CI that is an error. */
export function githubDescription(): GithubDescription | null {
  try {
    return new GithubDescription(readKept() ?? fetchAndKeep());
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    console.log(`  ${PACKAGE} ${VERSION} cannot be had here, requests to GitHub are not checked: ${String(error)}`);
    return null;
  }
}

function readKept(): Document | null {
  try {
    return JSON.parse(readFileSync(join(folder, `${VERSION}-${PART}.json`), "utf8")) as Document;
  } catch {
    return null;
  }
}

function fetchAndKeep(): Document {
  const room = mkdtempSync(join(tmpdir(), "baton-github-description-"));
  try {
    const pack = ["pack", "--silent", "--pack-destination", room, `${PACKAGE}@${VERSION}`];
    const { status, stdout } = spawnSync("npm", pack, { cwd: room, encoding: "utf8", timeout: 180_000 });
    if (status !== 0) throw new Error(`npm ${pack.join(" ")} ended with ${status}`);
    const archive = join(room, stdout.trim().split("\n").at(-1) ?? "");
    const unpacked = spawnSync("tar", ["-xzf", archive, "-C", room, FILE], { encoding: "utf8" });
    if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
    const kept = partOf(JSON.parse(readFileSync(join(room, FILE), "utf8")) as Document);
    mkdirSync(folder, { recursive: true });
    const temporary = join(folder, `${process.pid}.tmp`);
    writeFileSync(temporary, JSON.stringify(kept));
    renameSync(temporary, join(folder, `${VERSION}-${PART}.json`));
    return kept;
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** The paths that are needed and all that they name, with `nullable` said as JSON Schema says it. */
function partOf(whole: Document): Document {
  const part: Document = { paths: {}, components: {} };
  const take = (value: JsonValue | undefined): JsonValue => {
    if (Array.isArray(value)) return value.map(take);
    if (!isRecord(value)) return value ?? null;
    const { $ref } = value;
    if (typeof $ref === "string") takeComponent($ref);
    return withoutNullable(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, take(inner)])));
  };
  const takeComponent = (ref: string): void => {
    const [, , kind = "", name = ""] = ref.split("/");
    const kinds = (part.components[kind] ??= {});
    if (Object.hasOwn(kinds, name)) return;
    kinds[name] = null;
    kinds[name] = take(whole.components[kind]?.[name]);
  };
  for (const path of NEEDED) part.paths[path] = take(whole.paths[path]) as Record<string, JsonRecord>;
  return part;
}

function withoutNullable(schema: JsonRecord): JsonRecord {
  const { nullable, ...rest } = schema;
  if (typeof nullable !== "boolean") return schema;
  return nullable ? { anyOf: [rest, { type: "null" }] } : rest;
}

interface DescribedCall {
  readonly method: string;
  /** As in the address, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: JsonValue | undefined;
}

export class GithubDescription {
  readonly #document: Document;
  readonly #ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    this.#ajv.addSchema({ components: document.components }, "github");
  }

  /** What is wrong with a request, in words; nothing when it is as described. */
  problemsOf(call: DescribedCall): string[] {
    const found = this.#operation(call);
    if (found === null) return [`${call.method} ${call.path} is not described`];
    const parameters = list(found.operation["parameters"]).map((one) => this.#resolved(one));
    return [...this.#parameterProblems(parameters, found.values, call), ...this.#bodyProblems(found.operation, call)];
  }

  /** GitHub's own example of an answer. */
  example(method: string, path: string, status: number): JsonValue {
    const content = this.#content(method, path, status);
    const [first] = Object.values(isRecord(content["examples"]) ? content["examples"] : {});
    let example = this.#resolvedValue(first);
    while (isRecord(example) && example["value"] !== undefined) example = this.#resolvedValue(example["value"]);
    return example;
  }

  /** What is wrong with an answer of ours in GitHub's place. */
  answerProblems(method: string, path: string, status: number, answer: JsonValue): string[] {
    const { schema } = this.#content(method, path, status);
    return this.#errors(`${method} ${path} ${status}`, schema, answer);
  }

  #content(method: string, path: string, status: number): JsonRecord {
    const responses = this.#document.paths[path]?.[method]?.["responses"];
    const response = this.#resolved(isRecord(responses) ? responses[String(status)] : undefined);
    const content = isRecord(response["content"]) ? response["content"]["application/json"] : undefined;
    return isRecord(content) ? content : {};
  }

  #operation({ method, path }: DescribedCall): { operation: JsonRecord; values: Record<string, string> } | null {
    for (const [template, methods] of Object.entries(this.#document.paths)) {
      const pattern = template.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => `(?<${name}>${name === "ref" ? ".+" : "[^/]+"})`,
      );
      const groups = new RegExp(`^${pattern}$`).exec(path)?.groups;
      const operation = methods[method.toLowerCase()];
      if (groups !== undefined && operation !== undefined) return { operation, values: { ...groups } };
    }
    return null;
  }

  #parameterProblems(parameters: readonly JsonRecord[], values: Record<string, string>, call: DescribedCall): string[] {
    const problems: string[] = [];
    const declared = new Set(parameters.filter((one) => one["in"] === "query").map(nameOf));
    for (const name of call.query.keys()) if (!declared.has(name)) problems.push(`the query ${name} is not described`);
    for (const parameter of parameters) {
      const name = nameOf(parameter);
      const given = parameter["in"] === "path" ? values[name] : (call.query.get(name) ?? undefined);
      if (given === undefined && parameter["required"] === true) problems.push(`${name} is missing`);
      if (given === undefined) continue;
      const value = /^\d+$/.test(given) ? Number(given) : decodeURIComponent(given);
      const typed = isRecord(parameter["schema"]) && parameter["schema"]["type"] === "string" ? String(value) : value;
      problems.push(...this.#errors(`parameter ${name} of ${call.method} ${call.path}`, parameter["schema"], typed));
    }
    return problems;
  }

  #bodyProblems(operation: JsonRecord, { method, path, body }: DescribedCall): string[] {
    const described = operation["requestBody"];
    if (!isRecord(described)) return body === undefined ? [] : ["no body is described"];
    if (body === undefined) return described["required"] === true ? ["the body is missing"] : [];
    const content = isRecord(described["content"]) ? described["content"]["application/json"] : undefined;
    const schema = isRecord(content) ? content["schema"] : undefined;
    const unknown = Object.keys(isRecord(body) ? body : {}).filter((key) => !propertiesOf(schema).has(key));
    return [
      ...unknown.map((key) => `the body's ${key} is not described`),
      ...this.#errors(`body of ${method} ${path.replaceAll(/\d+/g, "N")}`, schema, body),
    ];
  }

  #errors(name: string, schema: JsonValue | undefined, value: JsonValue): string[] {
    if (schema === undefined) return [];
    let validate = this.#compiled.get(name);
    if (validate === undefined) {
      const named = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/')) as object;
      validate = this.#ajv.compile(named);
      this.#compiled.set(name, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath}: ${message ?? "wrong"}`);
  }

  #resolved(value: JsonValue | undefined): JsonRecord {
    const resolved = this.#resolvedValue(value);
    return isRecord(resolved) ? resolved : {};
  }

  #resolvedValue(value: JsonValue | undefined): JsonValue {
    const ref = isRecord(value) ? value["$ref"] : undefined;
    if (typeof ref !== "string") return value ?? null;
    const [, , kind = "", name = ""] = ref.split("/");
    return this.#document.components[kind]?.[name] ?? null;
  }
}

function propertiesOf(schema: JsonValue | undefined): Set<string> {
  const inner = isRecord(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"][0] : schema;
  return new Set(isRecord(inner) && isRecord(inner["properties"]) ? Object.keys(inner["properties"]) : []);
}

function nameOf({ name }: JsonRecord): string {
  return typeof name === "string" ? name : "";
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
