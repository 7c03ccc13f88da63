import { randomBytes } from "node:crypto";
import { extname, join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { agentTable } from "../agents/choose-agent.ts";
import { killOrphans } from "../agents/process-group/end-processes.ts";
import { knownWorkTime } from "../agents/process-group/marker-file.ts";
import { gateRunner } from "../agents/run-command.ts";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { folderWorkspace } from "../agents/workspace.ts";
import { gitRepository } from "../git/git-repository.ts";
import type { KnowledgeStore } from "../ports/knowledge-store.ts";
import type { Ports } from "../ports/ports.ts";
import type { LogSigner } from "../ports/log-signer.ts";
import type { Engine } from "../runtime/engine.ts";
import { redactor } from "../shared/redact.ts";
import { gateResults } from "../stores/gate-results.ts";
import { openKnowledgeStore } from "../stores/knowledge/open-knowledge-store.ts";
import { fileLogSigner } from "../stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../stores/sqlite/open-sqlite-log.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import { type KnownLogs, knownLogs } from "./known-logs.ts";
import { stateSaver } from "./saved-logs.ts";
import { findStatePlace } from "./state-folder.ts";
import { stateNotices } from "./state-notices.ts";
import { existingPlaces, logIn, madePlaces, type StatePlaces } from "./state-places.ts";
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
  // Also of a log that is not there: that one was may be remembered.
  const place = logIn(stateFolder);
  const signs = configFolder === undefined ? {} : { logSigner: logSignerOf(configFolder, place, root, stateFolder) };
  const { path, isReadOnly } = places.log;
  const { saveLog, saveKnowledge } = stateSaver(statePlace);
  const log = openSqliteLog(path, { ...signs, isReadOnly, save: saveLog });
  const agents = agentTable({ command: [process.execPath, BUILTIN], root, stateFolder });
  const redact = redactor(secretValues(process.env));
  const telemetry = openTelemetry({ environment: process.env, version: packageFile.version, redact });
  const tellOnce = once(notify);
  let knowledge: KnowledgeStore | null = null;
  const ports: Ports = {
    log,
    clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
    workspace: folderWorkspace(statePlace),
    commands: gateRunner({
      hidden: [stateFolder, workFolder, savedFolder, ...(configFolder === undefined ? [] : [configFolder])],
    }),
    repository: gitRepository({
      folder: places.git,
      environment: cleanEnvironment(["XDG_CONFIG_HOME"]),
    }),
    results: gateResults(),
    // Opened when it is first asked: most commands never do.
    get knowledge() {
      return (knowledge ??= openKnowledgeStore(places.knowledge.path, { ...places.knowledge, save: saveKnowledge }));
    },
    redact,
    telemetry,
    submission: (run, attempt) => submissionOf(stateFolder, run, attempt, tellOnce),
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
    isReadOnly,
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

function logSignerOf(folder: string, place: string, root: string, stateFolder: string): LogSigner {
  return fileLogSigner({ folder, place, forbidden: [root, stateFolder] });
}

/** Every attempt finds the same. */
function once(notify: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    notify(message);
  };
}
