import { lstatSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { MovedState, StateMove } from "../cli/terminal.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { isProvablyGone } from "../runtime/worker-name.ts";
import { AppError } from "../shared/app-error.ts";
import type { MoveEnd } from "../stores/moving/move-ends.ts";
import { moveLog, type MoveOutcome } from "../stores/moving/move-log.ts";
import { postgresEnd } from "../stores/postgres/move-postgres.ts";
import { openPostgresLog } from "../stores/postgres/open-postgres-log.ts";
import { sqliteEnd } from "../stores/sqlite/move-sqlite.ts";
import { knownLogs } from "./known-logs.ts";
import { openJobs, prepareJobs } from "./open-shared-engine.ts";
import { type SharedStore, sharedStoreOf } from "./shared-store.ts";
import { findStatePlace, repositoryMark, type StatePlace } from "./state-folder.ts";
import { signerOf } from "./state-notices.ts";
import { knowledgeIn, logIn, refuseOpenFolder } from "./state-places.ts";

interface Moving extends StateMove {
  readonly directory: string;
  readonly configFolder: string;
}

/** Takes the state of this repository from the files of this machine to a database, or back. */
export async function moveState(moving: Moving): Promise<MovedState> {
  const { directory, configFolder, to, notify } = moving;
  const place = findStatePlace(directory, process.env);
  const store = storeOf(moving, directory);
  refuseOpenFolder(place.stateFolder);
  makeFolder(place.stateFolder);
  const files = sqliteEnd({
    path: logIn(place.stateFolder),
    knowledge: knowledgeIn(place.stateFolder),
    isGone: isProvablyGone,
  });
  const mark = { mark: repositoryMark(place.root), name: `${place.root} on ${hostname()}` };
  const database = postgresEnd({ ...store, place: mark, isGone: isProvablyGone });
  const [source, target] = to === "postgres" ? [files, database] : [database, files];
  const began = performance.now();
  try {
    await trustSource(source, place, moving);
    // Where the engine is missing or refused, nothing has happened yet.
    if (to === "postgres") await prepareJobs(store, notify);
    const signer = signerOf(place, configFolder);
    const outcome = await moveLog({
      from: source,
      to: target,
      move: randomBytes(16).toString("hex"),
      at: Date.now(),
      trust: (log) => ({ keys: signer.keys(), seen: signer.seen(log), knowledge: signer.seenKnowledge() }),
      progress: moving.progress,
    });
    if (to === "postgres") await giveJobs(store, notify);
    return summaryOf(outcome, source, target, Math.round(performance.now() - began));
  } finally {
    await files.close();
    await database.close();
  }
}

/** The address stands in a file of the operator, or in BATON_STORE: arguments can be seen by every process. */
function storeOf({ urlFile }: Moving, directory: string): SharedStore {
  const given = urlFile === null ? process.env["BATON_STORE"] : readUrl(resolve(directory, urlFile));
  const store = sharedStoreOf({ BATON_STORE: given });
  if (store !== null) return store;
  throw new AppError(
    "wrong-usage",
    "It is not known which database is meant.",
    "Set BATON_STORE to its address, postgres://USER@HOST/DATABASE, or name a file that holds it: --url-file FILE.",
  );
}

function readUrl(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    throw new AppError("cannot-read", `${path} is not a file.`, "Name the file with the address.");
  if ((found.mode & 0o077) !== 0)
    throw new AppError("not-trusted", `${path} can be read by others.`, `It may hold a password: chmod 600 '${path}'`);
  return readFileSync(path, "utf8").trim();
}

/** Files that somebody else has put there are not moved. A database is named by the operator alone, and so is its log. */
async function trustSource(source: MoveEnd, { stateFolder }: StatePlace, { to, configFolder }: Moving): Promise<void> {
  const known = knownLogs(configFolder);
  const found = await source.inspect();
  if (found === null) return;
  if (to === "sqlite") known.add(found.log, stateFolder, "adopted");
  else if (!known.has(found.log))
    throw new AppError(
      "not-trusted",
      `The log in ${stateFolder} was neither made nor adopted by you: it is not moved.`,
      "If you know where it comes from: baton state adopt.",
    );
}

/** A run that goes on needs a job. One that has nothing to do ends it at once, and one that waits for a time sets it. */
async function giveJobs(store: SharedStore, notify: (message: string) => void): Promise<void> {
  const log = openPostgresLog(store);
  const jobs = openJobs(store, notify);
  try {
    for (const { run } of await log.runs({ unfinished: true, limit: MAX_UNFINISHED }))
      await log.lockRun(run, (_row, transaction) => jobs.send([run], transaction));
  } finally {
    await jobs.close();
    await log.close();
  }
}

const MAX_UNFINISHED = 1_000_000;

function summaryOf(outcome: MoveOutcome, source: MoveEnd, target: MoveEnd, milliseconds: number): MovedState {
  const { kind, log } = outcome;
  const moved = kind === "moved" ? { tables: outcome.tables, verdict: outcome.audit.verdict } : {};
  return { kind, log, from: source.place, to: target.place, milliseconds, tables: [], verdict: null, ...moved };
}
