import { type CheckpointBody, type LogSummary, readCheckpoint, readSigned } from "../../audit/checkpoint.ts";
import {
  type PlannedCheckpoint,
  planCheckpoint,
  readSeen,
  type SigningInput,
  whyRewritten,
} from "../../audit/plan-checkpoint.ts";
import { readRegisterEntry } from "../../audit/register.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { KnownKey, SeenHead } from "../../ports/log-signer.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { checkpointOf, hashOf, numberOf, textIn } from "./log-rows.ts";

/** A checkpoint over one state of the log; null when it is empty. Repeats when another host was faster. */
export async function storeNextCheckpoint(
  connections: PostgresConnections,
  input: SigningInput,
): Promise<KeptCheckpoint | null> {
  const { schema } = connections;
  for (;;) {
    // Before the transaction takes its view of the log: all positions up to this one are in it.
    const position = await settledPosition(connections, schema);
    const planned = await connections.transact(async (queries) => {
      const next = await planNext(queries, schema, position, input);
      return next === null ? null : { ...next, isThere: !next.isNew || (await insert(queries, schema, next)) };
    }, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    if (planned === null) return null;
    if (planned.isThere) return planned.checkpoint;
  }
}

/** Inside the transaction of something that must not be there without its signature, with the ledger locked. */
export async function signNow(queries: Queries, schema: string, input: SigningInput): Promise<KeptCheckpoint | null> {
  const planned = await planNext(queries, schema, await settledPosition(queries, schema), input);
  if (planned?.isNew !== true) return planned?.checkpoint ?? null;
  if (!(await insert(queries, schema, planned)))
    throw new StoreError("busy", "another host signs the log at this moment");
  return planned.checkpoint;
}

async function settledPosition(queries: Queries, schema: string): Promise<number> {
  const [row = {}] = await queries.all(`SELECT ${schema}.settled_position() AS position`);
  return numberOf(row, "position");
}

/** False when another host has stored one meanwhile, which has to come before. */
async function insert(
  queries: Queries,
  schema: string,
  { checkpoint: { number, body, signature } }: PlannedCheckpoint,
): Promise<boolean> {
  const stored = await queries.change(
    `INSERT INTO ${schema}.checkpoints (number, body, signature) VALUES ($1, $2, $3) ON CONFLICT (number) DO NOTHING`,
    [number, body, signature],
  );
  return stored === 1;
}

/** Reads what the decision needs. */
async function planNext(
  queries: Queries,
  schema: string,
  position: number,
  input: SigningInput,
): Promise<PlannedCheckpoint | null> {
  const reader = new CheckpointReader(queries, schema);
  const previous = await reader.lastCheckpoint();
  const last = previous === null ? null : readCheckpoint(previous);
  const summary = await reader.summary(position, previous, last);
  if (summary.register.number === 0) return null;
  const holdsLast = previous === null || (last !== null && (await reader.holds(last)));
  const seen: { readonly head: SeenHead; readonly isHeld: boolean }[] = [];
  for (const head of holdsLast ? input.seen(summary.log) : [])
    seen.push({ head, isHeld: await reader.holdsSeen(head) });
  const rewritten = whyRewritten(summary.log, { holdsLast, seen });
  const needsSigned = rewritten === null && input.confirms !== "all";
  const signed = needsSigned ? await reader.lastSigned(previous, input.keys) : null;
  return planCheckpoint({ summary, last, rewritten, signed }, input);
}

const FEW = 10;

class CheckpointReader {
  readonly #queries: Queries;
  readonly #schema: string;

  constructor(queries: Queries, schema: string) {
    this.#queries = queries;
    this.#schema = schema;
  }

  async lastCheckpoint(): Promise<KeptCheckpoint | null> {
    const [row] = await this.#queries.all(`${this.#checkpoints} ORDER BY number DESC LIMIT 1`);
    return row === undefined ? null : checkpointOf(row);
  }

  async summary(position: number, previous: KeptCheckpoint | null, last: CheckpointBody | null): Promise<LogSummary> {
    const [ledger] = await this.#queries.all(`SELECT * FROM ${this.#schema}.ledger WHERE one = 1`);
    if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
    const changed = await this.#queries.all(
      `SELECT run, sequence, head FROM ${this.#schema}.runs
        WHERE NOT finished AND number IN (SELECT run FROM ${this.#schema}.entries WHERE position > $1) ORDER BY number`,
      [Math.max(last?.position ?? 0, await this.#closedPosition())],
    );
    const { letters = 0, texts = 0, workflows = 0 } = last?.rows ?? {};
    return {
      log: textIn(ledger, "log"),
      pruned: numberOf(ledger, "pruned"),
      prunedTexts: numberOf(ledger, "pruned_texts"),
      position,
      register: { number: numberOf(ledger, "register_number"), hash: hashOf(ledger, "register_hash") },
      runs: changed.map((row) => ({
        run: textIn(row, "run"),
        sequence: numberOf(row, "sequence"),
        hash: hashOf(row, "head"),
      })),
      // The others are not counted: their numbers have gaps, and counting millions of rows would take seconds. What they
      // were when the log was elsewhere still holds, because rows are never removed.
      counts: { runs: numberOf(ledger, "runs"), letters, texts, workflows },
      previous,
    };
  }

  async holdsSeen(head: SeenHead): Promise<boolean> {
    const [row] = await this.#queries.all(`${this.#checkpoints} WHERE number = $1`, [head.checkpoint]);
    const body = row === undefined ? null : readSeen(checkpointOf(row), head);
    return body !== null && (await this.holds(body));
  }

  async holds(body: CheckpointBody): Promise<boolean> {
    if (body.version === 1) return this.#hasEntry(body.position, body.hash);
    const { number, hash } = body.register;
    const [register] = await this.#queries.all(`SELECT hash FROM ${this.#schema}.register WHERE number = $1`, [number]);
    if (register === undefined || hashOf(register, "hash") !== hash) return false;
    const rows = await this.#queries.all(
      `SELECT h.run, e.hash FROM unnest($1::text[], $2::bigint[]) AS h (run, sequence)
        JOIN ${this.#schema}.runs r ON r.run = h.run
        JOIN ${this.#schema}.entries e ON e.run = r.number AND e.sequence = h.sequence`,
      [body.runs.map(({ run }) => run), body.runs.map(({ sequence }) => sequence)],
    );
    const found = new Map(rows.map((row) => [textIn(row, "run"), hashOf(row, "hash")]));
    return body.runs.every((head) => found.get(head.run) === head.hash);
  }

  async #hasEntry(position: number, hash: string): Promise<boolean> {
    const [row] = await this.#queries.all(`SELECT hash FROM ${this.#schema}.entries WHERE position = $1`, [position]);
    return row !== undefined && hashOf(row, "hash") === hash;
  }

  /** Where the one chain of a log of an older version ends: its runs have no heads of their own there. */
  async #closedPosition(): Promise<number> {
    const [first] = await this.#queries.all(`SELECT body FROM ${this.#schema}.register WHERE number = 1`);
    const entry = first === undefined ? null : readRegisterEntry(textIn(first, "body"));
    return entry?.kind === "closed" ? entry.position : 0;
  }

  /** The newest checkpoint that a known key has signed; null when there is none. */
  async lastSigned(last: KeptCheckpoint | null, keys: readonly KnownKey[]): Promise<CheckpointBody | null> {
    for (let before = (last?.number ?? 0) + 1; before > 1;) {
      const rows = await this.#queries.all(`${this.#checkpoints} WHERE number < $1 ORDER BY number DESC LIMIT ${FEW}`, [
        before,
      ]);
      const page = rows.map(checkpointOf);
      for (const kept of page) {
        const body = readSigned(kept, keys);
        if (body !== null) return body;
      }
      before = page.at(-1)?.number ?? 0;
    }
    return null;
  }

  get #checkpoints(): string {
    return `SELECT number, body, signature FROM ${this.#schema}.checkpoints`;
  }
}
