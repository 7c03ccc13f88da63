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
import type { KnowledgeStore } from "../ports/knowledge-store.ts";
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
import { findStatePlace } from "./state-folder.ts";
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
  const { root, stateFolder, workFolder, savedFolder } = statePlace;
  if (configFolder !== undefined)
    for (const notice of stateNotices(statePlace, directory, configFolder)) notify(notice);
  const places = choosePlaces(stateFolder, configFolder === undefined ? null : knownLogs(configFolder));
  const signs = configFolder === undefined ? {} : { logSigner: signerOf(statePlace, configFolder) };
  const { saveLog, saveKnowledge } = stateSaver(statePlace);
  const log = openSqliteLog(places.log.path, { ...places.log, ...signs, save: saveLog });
  const list = configFolder === undefined ? {} : { toolchainFile: join(configFolder, TOOLCHAIN_FILE) };
  const agents = agentTable({ command: [process.execPath, BUILTIN], root, stateFolder, ...list });
  const redact = redactor(secretValues(process.env));
  const telemetry = openTelemetry({ environment: process.env, version: packageFile.version, redact });
  const tell = tellOnce(notify);
  const knowledgeOptions = { ...places.knowledge, ...signs, save: saveKnowledge };
  let knowledge: KnowledgeStore | null = null;
  const ports: Ports = {
    log,
    clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
    workspace: folderWorkspace(statePlace),
    commands: gateRunner({
      hidden: [stateFolder, workFolder, savedFolder, ...(configFolder === undefined ? [] : [configFolder])],
      ...list,
    }),
    repository: gitRepository({ folder: places.git, environment: cleanEnvironment(["XDG_CONFIG_HOME"]) }),
    results: gateResults(),
    // Opened when it is first asked: most commands never do.
    get knowledge() {
      return (knowledge ??= openKnowledgeStore(places.knowledge.path, knowledgeOptions));
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
    schedules: openScheduleStore(places.schedules),
    isReadOnly: places.log.isReadOnly,
    hasKnowledge: () => existsSync(places.knowledge.path),
    ...signs,
    async close() {
      telemetry.close();
      await Promise.all([log.close(), knowledge?.close()]);
      await places.close();
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
