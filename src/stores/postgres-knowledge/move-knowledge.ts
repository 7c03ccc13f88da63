import { AppError } from "../../shared/app-error.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import { type LogHold, sayHold } from "../held-log.ts";
import { headOfSeal, sealOf } from "../knowledge/seals.ts";
import { parseFactText } from "../knowledge/stored-fact.ts";
import type { MovedRow, MovedTable } from "../moving/moved-tables.ts";
import type { PostgresConnections, Queries } from "../postgres/connection.ts";
import { numberOf } from "../postgres/log-rows.ts";
import { withNul } from "./nul-text.ts";
import { checkPostgresSeals } from "./sealed-rows.ts";
import { keyOf, KNOWLEDGE_TABLES, prefixOf } from "./tables.ts";

const TABLES = [
  "ledger",
  "numbering",
  "facts",
  "lessons",
  "witnesses",
  "opposites",
  "fact_files",
  "tasks",
  "dependencies",
  "touches",
  "history",
  "helped_steps",
  "tokens",
  "seals",
] as const;

/** Writers take the ledger first, so locking it first waits for them, and never they for us. */
export function knowledgeToLock(schema: string): string[] {
  return TABLES.map((table) => `${prefixOf(schema)}${table}`);
}

/** Everything that the migrations of knowledge have made. */
export function dropKnowledgeTables(schema: string): string {
  return `
    DROP TABLE ${knowledgeToLock(schema).join(", ")};
    DROP FUNCTION ${prefixOf(schema)}history_only_grows();
    DELETE FROM ${schema}.versions WHERE part = '${KNOWLEDGE_TABLES.part}';`;
}

/** Whether anything was ever learned in it. */
export async function isKnowledgeEmpty(queries: Queries, schema: string): Promise<boolean> {
  const t = prefixOf(schema);
  const [row = {}] = await queries.all(`SELECT facts + lessons + records + seals AS numbers FROM ${t}ledger`);
  return numberOf(row, "numbers") === 0;
}

/** Inside the transaction that holds the log. */
export async function holdPostgresKnowledge(queries: Queries, schema: string, hold: LogHold): Promise<void> {
  const refusal = sayHold(hold).replaceAll("'", "''");
  for (const table of knowledgeToLock(schema))
    await queries.all(
      `CREATE TRIGGER ${NAME} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_held('${refusal}')`,
    );
}

/** Inside the transaction that releases the log. */
export async function releasePostgresKnowledge(queries: Queries, schema: string): Promise<void> {
  for (const table of knowledgeToLock(schema)) await queries.all(`DROP TRIGGER ${NAME} ON ${table}`);
}

const NAME = "knowledge_is_held";

type Derived = Readonly<Record<string, (row: Readonly<Record<string, string>>) => Buffer>>;

/** Columns by which rows are looked up, made from the others as `fact-draft.ts` makes them. */
const DERIVED: Readonly<Record<string, Derived>> = {
  lessons: {
    key: ({ run = "", step = "", handoff = "" }) => keyOf(run, step, handoff),
    run_key: ({ run = "" }) => keyOf(run),
    step_key: ({ run = "", step = "" }) => keyOf(run, step),
    task_key: ({ run = "", task = "" }) => keyOf(run, task),
    task_name_key: ({ task = "" }) => keyOf(task),
    agent_key: ({ agent = "" }) => keyOf(agent),
  },
  tasks: { key: ({ run = "", id = "" }) => keyOf(run, id), run_key: ({ run = "" }) => keyOf(run) },
  dependencies: {
    task_key: ({ run = "", task = "" }) => keyOf(run, task),
    needs_key: ({ run = "", needs = "" }) => keyOf(run, needs),
  },
  touches: { path_key: ({ path = "" }) => keyOf(path) },
  helped_steps: { key: ({ run = "", step = "" }) => keyOf(run, step) },
};

const TYPES = { integer: "bigint", text: "text", bytes: "bytea", flag: "bigint" } as const;

/** Facts may refer to later ones, so their references are looked at when the transaction ends. */
export async function insertKnowledge(
  queries: Queries,
  schema: string,
  table: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  const names = Object.keys(table.columns);
  if (table.name === "facts") await insertFiles(queries, schema, names, rows);
  const derived = Object.entries(DERIVED[table.name] ?? {});
  const texts = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, String(row[at])])));
  const columns = [...names, ...derived.map(([name]) => name)];
  const types = [...Object.values(table.columns).map((type) => TYPES[type]), ...derived.map(() => "bytea" as const)];
  await withNul(queries).change(
    `INSERT INTO ${prefixOf(schema)}${table.name} (${columns.join(", ")})
      SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(", ")})`,
    [
      ...names.map((_, at) => rows.map((row) => storedIn(table, row[at] ?? null))),
      ...derived.map(([, keyIn]) => texts.map(keyIn)),
    ],
  );
}

/** The longest that an index of Postgres holds is a little less than 2,700 bytes. */
const MAX_INDEXED = 2_000;

function storedIn({ name }: MovedTable, value: MovedRow[number]): string | number | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length);
  if (name === "tokens" && typeof value === "string" && Buffer.byteLength(value) > MAX_INDEXED)
    throw new AppError(
      "conflict",
      "A fact has a word of more than 2,000 bytes, which Postgres cannot look up.",
      "Edit or retire that fact first: `baton knowledge search` finds it.",
    );
  return value;
}

/** The references are not looked at before the facts are there, either. */
async function insertFiles(
  queries: Queries,
  schema: string,
  names: readonly string[],
  rows: readonly MovedRow[],
): Promise<void> {
  const files = rows.flatMap((row) => {
    const { files: paths } = parseFactText(String(row[names.indexOf("body")]), String(row[names.indexOf("id")]));
    return [...new Set(paths)].map((path) => ({ path, fact: Number(row[0]) }));
  });
  if (files.length === 0) return;
  await queries.change(
    `INSERT INTO ${prefixOf(schema)}fact_files (path_key, fact) SELECT * FROM unnest($1::bytea[], $2::bigint[])`,
    [files.map(({ path }) => keyOf(path)), files.map(({ fact }) => fact)],
  );
}

/** Numbers and seals go on behind the last ones. */
export async function keepKnowledgeLedger(queries: Queries, schema: string): Promise<void> {
  const t = prefixOf(schema);
  const [last] = await queries.all(`SELECT number, body, signature FROM ${t}seals ORDER BY number DESC LIMIT 1`);
  const head = last === undefined ? null : headOfSeal(sealOf(last));
  await queries.change(
    `UPDATE ${t}ledger SET facts = (SELECT coalesce(max(number), 0) FROM ${t}facts),
      lessons = (SELECT coalesce(max(number), 0) FROM ${t}lessons),
      records = (SELECT coalesce(max(number), 0) FROM ${t}history), seals = $1, digest = $2`,
    [head?.number ?? 0, head?.digest ?? null],
  );
}

export async function checkPostgresKnowledge(
  connections: PostgresConnections,
  keys: readonly string[],
  seen: KnowledgeHead | null,
): Promise<KnowledgeCheck> {
  const look = await connections.look();
  try {
    const database = { queries: withNul(look.queries), prefix: prefixOf(connections.schema) };
    return await checkPostgresSeals(database, keys, seen);
  } finally {
    await look.end();
  }
}
