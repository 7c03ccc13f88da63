import type { DatabaseSync, StatementSync } from "node:sqlite";
import { prepareOnUse } from "../sqlite/prepare-on-use.ts";

const WITNESS = "SELECT w.fact, w.ordinal, w.place, l.run, l.task, l.step, l.agent, l.handoff, l.at";

/** A fact is read with at most so many sources: the first one and the newest others. */
const MAX_WITNESSES = 50;

interface SealedTable {
  readonly key: (row: string) => string;
  /** All columns as one text. A column that is added later needs new triggers and a new seal over everything. */
  readonly row: (row: string) => string;
}

/** The tables whose rows are sealed. What is made from them for searching is not. */
export const SEALED_ROWS: Readonly<Record<string, SealedTable>> = {
  facts: {
    key: (row) => `'fact ' || ${row}.number`,
    row: (row) => `json_array(${row}.id, ${row}.kind, ${row}.status, hex(${row}.statement), ${row}.is_negative,
      ${row}.merged_into, ${row}.is_edited, ${row}.learned_at, ${row}.witnesses, ${row}.repeats, ${row}.helped, ${row}.tokens, ${row}.body)`,
  },
  witnesses: {
    key: (row) => `'witness ' || ${row}.fact || ' ' || ${row}.ordinal`,
    row: (row) => `json_array(${row}.lesson, ${row}.place, ${row}.said, ${row}.is_repeat)`,
  },
  lessons: {
    key: (row) => `'lesson ' || ${row}.number`,
    row: (row) => `json_array(${row}.run, ${row}.task, ${row}.step, ${row}.agent, ${row}.handoff, ${row}.at)`,
  },
  history: {
    key: (row) => `'record ' || ${row}.number`,
    row: (row) => `json_array(${row}.fact, ${row}.at, ${row}.by, ${row}.what, ${row}.why, ${row}.other, ${row}.before)`,
  },
};

const EVERY_SEALED_ROW = Object.entries(SEALED_ROWS)
  .map(([table, { key, row }]) => `SELECT ${key("t")} AS key, ${row("t")} AS row FROM ${table} t`)
  .join(" UNION ALL ");

/** The parts of a key are numbers, so that each is found by the primary key of its table. */
const PART = "substr(:key, instr(:key, ' ') + 1)";
const ONE_SEALED_ROW = `
  SELECT ${SEALED_ROWS["facts"]?.row("t") ?? ""} AS row FROM facts t
    WHERE :key GLOB 'fact *' AND t.number = CAST(${PART} AS INTEGER)
  UNION ALL SELECT ${SEALED_ROWS["lessons"]?.row("t") ?? ""} FROM lessons t
    WHERE :key GLOB 'lesson *' AND t.number = CAST(${PART} AS INTEGER)
  UNION ALL SELECT ${SEALED_ROWS["history"]?.row("t") ?? ""} FROM history t
    WHERE :key GLOB 'record *' AND t.number = CAST(${PART} AS INTEGER)
  UNION ALL SELECT ${SEALED_ROWS["witnesses"]?.row("t") ?? ""} FROM witnesses t
    WHERE :key GLOB 'witness *' AND t.fact = CAST(${PART} AS INTEGER)
      AND t.ordinal = CAST(substr(${PART}, instr(${PART}, ' ') + 1) AS INTEGER)`;

const LOST = "(SELECT value FROM json_each(:numbers))";

/** Changes of rows, their seals, and what is removed when facts are learned again. */
const SEALS = {
  touched: "SELECT key, before FROM touched ORDER BY key",
  untouch: "DELETE FROM touched WHERE key = ?",
  untouchAll: "DELETE FROM touched",
  sealedRows: EVERY_SEALED_ROW,
  sealedRow: ONE_SEALED_ROW,
  seals: "SELECT number, body, signature FROM seals WHERE number > ? ORDER BY number LIMIT ?",
  lastSeal: "SELECT number, body, signature FROM seals ORDER BY number DESC LIMIT 1",
  insertSeal: "INSERT INTO seals (number, body, signature) VALUES (?, ?, ?)",
  everyFact: "SELECT number, id, tokens FROM facts ORDER BY number",
  factsOfLesson: "SELECT DISTINCT fact FROM witnesses WHERE lesson = ?",
  factOfRecord: "SELECT fact FROM history WHERE number = ?",
  forgetMerges: `UPDATE facts SET merged_into = NULL WHERE merged_into IN ${LOST}`,
  forgetOpposites: `DELETE FROM opposites WHERE fact IN ${LOST} OR other IN ${LOST}`,
  forgetFiles: `DELETE FROM fact_files WHERE fact IN ${LOST}`,
  forgetWitnesses: `DELETE FROM witnesses WHERE fact IN ${LOST}`,
  forgetHistory: `DELETE FROM history WHERE fact IN ${LOST} OR other IN ${LOST}`,
  forgetFacts: `DELETE FROM facts WHERE number IN ${LOST}`,
  forgetTouches: "DELETE FROM touches WHERE lesson NOT IN (SELECT lesson FROM witnesses)",
  forgetLessons: "DELETE FROM lessons WHERE number NOT IN (SELECT lesson FROM witnesses)",
  forgetTokens: "DELETE FROM tokens",
} as const;

/**
 * Every statement of the store. Values are always bound, never written into the text. Lists are bound as JSON.
 * CROSS JOIN keeps the order in which the tables are written here.
 */
export const KNOWLEDGE_SQL = {
  ...SEALS,
  insertFact: `INSERT INTO facts (id, kind, status, statement, is_negative, learned_at, tokens, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  updateFact: `UPDATE facts
    SET status = ?, statement = ?, is_negative = ?, merged_into = ?, is_edited = ?, tokens = ?, body = ?
    WHERE number = ?`,
  followMerge: "UPDATE facts SET merged_into = ?1 WHERE merged_into = ?2",
  fact: "SELECT * FROM facts WHERE number = ?",
  factById: "SELECT * FROM facts WHERE id = ?",
  factByStatement: "SELECT * FROM facts WHERE statement = ? AND is_negative = ? AND merged_into IS NULL",
  mergedByStatement: `SELECT merged_into AS number FROM facts
    WHERE statement = ? AND is_negative = ? AND merged_into IS NOT NULL ORDER BY facts.number DESC LIMIT 1`,
  facts: "SELECT f.* FROM json_each(?) j CROSS JOIN facts f ON f.number = j.value",
  weighed: `SELECT f.number, f.id, f.kind, f.status, f.learned_at, f.witnesses - f.repeats AS sources, f.helped, f.tokens
    FROM json_each(?) j CROSS JOIN facts f ON f.number = j.value`,
  tokensOf: "SELECT f.number, f.tokens FROM json_each(?) j CROSS JOIN facts f ON f.number = j.value",
  page: "SELECT number FROM facts WHERE number > ? ORDER BY number LIMIT ?",
  newestNumber: "SELECT coalesce(max(number), 0) AS number FROM facts",
  insertHelp: "INSERT INTO helped_steps (run, step) VALUES (?, ?) ON CONFLICT DO NOTHING",
  help: "UPDATE facts SET helped = helped + ?1 WHERE number = ?2",

  lastNumber: "SELECT last FROM numbering WHERE kind = ?",
  setLastNumber:
    "INSERT INTO numbering (kind, last) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET last = excluded.last",

  batch: "SELECT number FROM lessons WHERE run = ? AND step = ? AND handoff = ?",
  insertLesson: "INSERT INTO lessons (run, task, step, agent, handoff, at) VALUES (?, ?, ?, ?, ?, ?)",
  lessonsOfStep: "SELECT number FROM lessons WHERE run = ? AND step = ? ORDER BY number",

  witnessed: "SELECT fact FROM witnesses WHERE lesson = ? AND place = ?",
  insertWitness: "INSERT INTO witnesses (fact, ordinal, lesson, place, said, is_repeat) VALUES (?, ?, ?, ?, ?, ?)",
  countWitness: "UPDATE facts SET witnesses = witnesses + ?1, repeats = repeats + ?2 WHERE number = ?3",
  moveWitnesses: "UPDATE witnesses SET fact = ?1, ordinal = ordinal + ?2 WHERE fact = ?3",
  unproven: "SELECT fact, ordinal, said FROM witnesses WHERE lesson = ? AND said IS NOT NULL ORDER BY fact, ordinal",
  sayAgain: "UPDATE witnesses SET said = ? WHERE fact = ? AND ordinal = ?",
  questionsOfStep: `SELECT w.fact, w.ordinal, w.said FROM lessons l CROSS JOIN witnesses w ON w.lesson = l.number
    CROSS JOIN facts f ON f.number = w.fact WHERE l.run = ? AND l.step = ? AND f.kind = 'question'
    ORDER BY w.fact, w.ordinal`,
  answered: "SELECT 1 FROM history WHERE fact = ? AND at = ? AND by = ? AND what = 'answered' LIMIT 1",
  firstWitnesses: `${WITNESS} FROM json_each(?) j CROSS JOIN witnesses w ON w.fact = j.value AND w.ordinal = 1
    CROSS JOIN lessons l ON l.number = w.lesson`,
  newestWitnesses: `${WITNESS} FROM json_each(?) j CROSS JOIN facts f ON f.number = j.value
    CROSS JOIN witnesses w ON w.fact = f.number AND w.ordinal > max(1, f.witnesses - ${MAX_WITNESSES - 1})
      AND w.is_repeat = 0
    CROSS JOIN lessons l ON l.number = w.lesson ORDER BY w.fact, w.ordinal`,

  oppose: "INSERT INTO opposites (fact, other) VALUES (?, ?) ON CONFLICT DO NOTHING",
  opposites: "SELECT other FROM opposites WHERE fact = ?",
  reconcile: "DELETE FROM opposites WHERE fact = ? AND other = ?",
  oppositesOf: `SELECT o.fact, f.id FROM json_each(?) j CROSS JOIN opposites o ON o.fact = j.value
    CROSS JOIN facts f ON f.number = o.other ORDER BY o.fact, o.other`,

  insertFile: "INSERT INTO fact_files (path, fact) VALUES (?, ?) ON CONFLICT DO NOTHING",
  deleteFile: "DELETE FROM fact_files WHERE path = ? AND fact = ?",

  task: "SELECT run, id, name, status, at FROM tasks WHERE run = ? AND id = ?",
  putTask: `INSERT INTO tasks (run, id, name, status, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (run, id) DO UPDATE SET name = excluded.name, status = excluded.status, at = excluded.at`,
  tasks: "SELECT run, id, name, status, at FROM tasks ORDER BY at DESC, run, id LIMIT ?",
  tasksOfRun: "SELECT run, id, name, status, at FROM tasks WHERE run = ? ORDER BY at DESC, id LIMIT ?",
  needs: "SELECT needs FROM dependencies WHERE run = ? AND task = ? ORDER BY ordinal",
  deleteNeeds: "DELETE FROM dependencies WHERE run = ? AND task = ?",
  insertNeed: "INSERT INTO dependencies (run, task, ordinal, needs) VALUES (?, ?, ?, ?)",

  insertTouch: `INSERT INTO touches (lesson, ordinal, path, change, lines, purpose) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,

  record: "INSERT INTO history (fact, at, by, what, why, other, before) VALUES (?, ?, ?, ?, ?, ?, ?)",
  history: `SELECT h.at, h.by, h.what, h.why, o.id AS other, h.before
    FROM history h LEFT JOIN facts o ON o.number = h.other WHERE h.fact = ? ORDER BY h.number`,

  countToken: `INSERT INTO tokens (token, facts) VALUES (?, ?)
    ON CONFLICT (token) DO UPDATE SET facts = facts + excluded.facts`,
  tokenCounts: "SELECT t.token, t.facts FROM json_each(?) j CROSS JOIN tokens t ON t.token = j.value",
  tokensFrom: "SELECT token, facts FROM tokens WHERE token >= ? AND token < ? ORDER BY token LIMIT ?",
  index: "INSERT INTO fact_index (rowid, tokens) VALUES (?, ?)",
  unindex: "DELETE FROM fact_index WHERE rowid = ?",
  matching: "SELECT rowid AS number FROM fact_index WHERE fact_index MATCH ? ORDER BY rowid DESC LIMIT ?",
  matchingBefore: `SELECT rowid AS number FROM fact_index WHERE fact_index MATCH ? AND rowid < ?
    ORDER BY rowid DESC LIMIT ?`,

  countMatching: "SELECT count(*) AS count FROM fact_index WHERE fact_index MATCH ?",
  countTasks: "SELECT count(*) AS count FROM tasks",
  countFiles: "SELECT count(DISTINCT path) AS count FROM touches",

  factsOfTask: `SELECT DISTINCT w.fact AS number FROM lessons l CROSS JOIN witnesses w ON w.lesson = l.number
    WHERE l.task = ? AND l.run = ? ORDER BY w.fact DESC LIMIT ?`,
  taught: `SELECT w.place, w.fact FROM lessons l CROSS JOIN witnesses w ON w.lesson = l.number
    WHERE l.task = ? AND l.run = ? AND l.handoff = ? ORDER BY l.number, w.place`,
  // Every run may have a task of that name, so only its newest batches are read.
  factsOfTaskName: `SELECT DISTINCT w.fact AS number
    FROM (SELECT number FROM lessons WHERE task = ? ORDER BY number DESC LIMIT 1000) l
    CROSS JOIN witnesses w ON w.lesson = l.number ORDER BY w.fact DESC LIMIT ?`,
  factsOfRun: `SELECT DISTINCT w.fact AS number FROM lessons l CROSS JOIN witnesses w ON w.lesson = l.number
    WHERE l.run = ? ORDER BY w.fact DESC LIMIT ?`,
  factsOfFile: "SELECT fact AS number FROM fact_files WHERE path = ? ORDER BY fact DESC LIMIT ?",
  tasksOfFact: `SELECT DISTINCT l.run, l.task FROM witnesses w CROSS JOIN lessons l ON l.number = w.lesson
    WHERE w.fact = ? ORDER BY w.ordinal LIMIT ?`,

  touches: `SELECT t.*, l.run, l.task, l.agent, l.at FROM touches t CROSS JOIN lessons l ON l.number = t.lesson
    ORDER BY t.lesson DESC, t.ordinal LIMIT ?`,
  touchesOfRun: `SELECT t.*, l.run, l.task, l.agent, l.at FROM lessons l CROSS JOIN touches t ON t.lesson = l.number
    WHERE l.run = ? ORDER BY l.number DESC, t.ordinal LIMIT ?`,
  touchesOfTask: `SELECT t.*, l.run, l.task, l.agent, l.at FROM lessons l CROSS JOIN touches t ON t.lesson = l.number
    WHERE l.task = ?1 AND (?2 IS NULL OR l.run = ?2) ORDER BY l.number DESC, t.ordinal LIMIT ?3`,

  agentsOfFact: `SELECT DISTINCT l.agent AS name FROM witnesses w CROSS JOIN lessons l ON l.number = w.lesson
    WHERE w.fact = ? LIMIT ?`,
  mergedInto: "SELECT id FROM facts WHERE merged_into = ? ORDER BY number DESC LIMIT ?",
  agentsOfTask: "SELECT DISTINCT agent AS name FROM lessons WHERE task = ? AND run = ? LIMIT ?",
  filesOfTask: `SELECT DISTINCT t.path AS name FROM lessons l CROSS JOIN touches t ON t.lesson = l.number
    WHERE l.task = ? AND l.run = ? LIMIT ?`,
  dependents: "SELECT run, task FROM dependencies WHERE run = ? AND needs = ? LIMIT ?",
  tasksOfAgent: "SELECT run, task FROM lessons WHERE agent = ? ORDER BY number DESC LIMIT ?",
  factsOfAgent: `SELECT w.fact AS number FROM lessons l CROSS JOIN witnesses w ON w.lesson = l.number
    WHERE l.agent = ? ORDER BY l.number DESC LIMIT ?`,
  tasksOfFile: `SELECT l.run, l.task FROM touches t CROSS JOIN lessons l ON l.number = t.lesson
    WHERE t.path = ? ORDER BY t.lesson DESC LIMIT ?`,
} as const;

export type KnowledgeStatements = Readonly<Record<keyof typeof KNOWLEDGE_SQL, StatementSync>>;

export function prepareKnowledgeStatements(database: DatabaseSync): KnowledgeStatements {
  return prepareOnUse(KNOWLEDGE_SQL, (sql) => prepareOne(database, sql));
}

/**
 * What changes rows answers with the last row number of the connection. After a deletion from the index this can be one
 * of the index itself, beyond 2^53, and from Node 26 on a number that cannot hold it is an error: it is asked as a bigint.
 */
function prepareOne(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  if (!sql.startsWith("SELECT")) statement.setReadBigInts(true);
  return statement;
}
