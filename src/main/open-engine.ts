import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { agentTable } from "../agents/choose-agent.ts";
import { killOrphans } from "../agents/process-group/end-processes.ts";
import { knownWorkTime } from "../agents/process-group/marker-file.ts";
import { gateRunner } from "../agents/run-command.ts";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { TOOLCHAIN_FILE } from "../agents/sandbox/toolchains.ts";
import { folderWorkspace } from "../agents/workspace.ts";
import { gitRepository } from "../git/git-repository.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { KnowledgeStore } from "../ports/knowledge-store.ts";
import type { LogSigner } from "../ports/log-signer.ts";
import type { Ports } from "../ports/ports.ts";
import type { Engine } from "../runtime/engine.ts";
import { seenTexts } from "../runtime/operations/trust-store.ts";
import { redactor } from "../shared/redact.ts";
import { gateResults } from "../stores/gate-results.ts";
import { openKnowledgeStore } from "../stores/knowledge/open-knowledge-store.ts";
import { openScheduleStore } from "../stores/open-schedule-store.ts";
import { openSqliteLog } from "../stores/sqlite/open-sqlite-log.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import { type KnownLogs, knownLogs } from "./known-logs.ts";
import { stateSaver } from "./saved-logs.ts";
import { findStatePlace, type StatePlace } from "./state-folder.ts";
import { signerOf, stateNotices } from "./state-notices.ts";
import { existingPlaces, madePlaces, type StatePlaces } from "./state-places.ts";
import { submissionOf } from "./submission.ts";
import { secretValues } from "./kept-secret.ts";

/** The embedded engine: SQLite files in the state folder of the repository. What its operator should know is told, once. */
export function openEngine(
  directory: string,
  configFolder?: string,
  notify: (message: string) => void = () => undefined,
  choosePlaces: (stateFolder: string, known: KnownLogs | null) => StatePlaces = madePlaces,
): Engine {
  const statePlace = findStatePlace(directory, process.env);
  const { stateFolder } = statePlace;
  if (configFolder !== undefined)
    for (const notice of stateNotices(statePlace, directory, configFolder)) notify(notice);
  const places = choosePlaces(stateFolder, configFolder === undefined ? null : knownLogs(configFolder));
  const signs = configFolder === undefined ? {} : { logSigner: signerOf(statePlace, configFolder) };
  const { saveLog, saveKnowledge } = stateSaver(statePlace);
  const log = openSqliteLog(places.log.path, { ...places.log, ...signs, save: saveLog });
  const knowledgeOptions = { ...places.knowledge, ...signs, save: saveKnowledge };
  let knowledge: KnowledgeStore | null = null;
  const engine = composeEngine(statePlace, configFolder, notify, {
    log,
    // Opened when it is first asked: most commands never do.
    knowledge: () => (knowledge ??= openKnowledgeStore(places.knowledge.path, knowledgeOptions)),
    hasKnowledge: () => existsSync(places.knowledge.path),
    git: places.git,
    schedules: places.schedules,
    now: () => Date.now(),
    ...signs,
    async close() {
      await Promise.all([log.close(), knowledge?.close()]);
      await places.close();
    },
  });
  return { ...engine, isReadOnly: places.log.isReadOnly };
}

/** What an engine stands on. */
interface Stores {
  readonly log: EventLog;
  readonly knowledge: () => KnowledgeStore;
  readonly hasKnowledge: () => boolean;
  /** A folder for what git is to note. */
  readonly git: string;
  /** The file of what was decided on the times of schedules. */
  readonly schedules: string;
  readonly now: () => number;
  readonly logSigner?: LogSigner;
  /** Where the log is, when it is in no file: for agents that come along. */
  readonly store?: { readonly url: string; readonly schema: string };
  close(): Promise<void>;
}

/** All of the machine besides the stores. */
export function composeEngine(
  statePlace: StatePlace,
  configFolder: string | undefined,
  notify: (message: string) => void,
  stores: Stores,
): Engine {
  const { log, knowledge, hasKnowledge, git, now, logSigner } = stores;
  const { root, stateFolder, workFolder, savedFolder } = statePlace;
  const list = configFolder === undefined ? {} : { toolchainFile: join(configFolder, TOOLCHAIN_FILE) };
  const agents = agentTable({
    command: [process.execPath, BUILTIN],
    root,
    stateFolder,
    ...list,
    ...(stores.store !== undefined && { store: stores.store }),
  });
  const redact = redactor(secretValues(process.env));
  const telemetry = openTelemetry({ environment: process.env, version: packageFile.version, redact });
  const tell = tellOnce(notify);
  const ports: Ports = {
    log,
    clock: { now, id: () => randomBytes(16).toString("hex") },
    workspace: folderWorkspace(statePlace),
    commands: gateRunner({
      hidden: [stateFolder, workFolder, savedFolder, ...(configFolder === undefined ? [] : [configFolder])],
      ...list,
    }),
    repository: gitRepository({ folder: git, environment: cleanEnvironment(["XDG_CONFIG_HOME"]) }),
    results: gateResults(),
    get knowledge() {
      return knowledge();
    },
    redact,
    telemetry,
    submission: (run, attempt) => submissionOf(stateFolder, run, attempt, tell),
    ...(configFolder !== undefined && { seenTexts: seenTexts(configFolder) }),
    agent: (kind) => agents[kind],
    async killOrphans(attempt, scratch) {
      await killOrphans(attempt, scratch);
      return knownWorkTime(attempt, scratch);
    },
  };
  return {
    ports,
    root,
    stateFolder,
    hasKnowledge,
    ...(logSigner !== undefined && { logSigner }),
    schedules: openScheduleStore(stores.schedules),
    async close() {
      telemetry.close();
      await stores.close();
    },
  };
}

/** The same over the state that is there, or over an empty one where there is none: nothing is made. */
export function openExisting(directory: string, configFolder: string, notify: (message: string) => void): Engine {
  return openEngine(directory, configFolder, notify, existingPlaces);
}

/** Beside this file, among the sources as in the bundle. */
const BUILTIN = join(import.meta.dirname, `builtin-agent${extname(import.meta.filename)}`);

/** What every attempt or call finds again is told once. */
export function tellOnce(notify: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    notify(message);
  };
}
