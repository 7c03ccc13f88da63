import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { folderWorkspace } from "../agents/workspace.ts";
import { gitRepository } from "../git/git-repository.ts";
import type { KnowledgeStore } from "../ports/knowledge-store.ts";
import type { OpenState } from "../runtime/hooks/hook-machine.ts";
import type { Redact } from "../shared/redact.ts";
import { openKnowledgeStore } from "../stores/knowledge/open-knowledge-store.ts";
import { openSqliteLog } from "../stores/sqlite/open-sqlite-log.ts";
import { knownLogs } from "./known-logs.ts";
import { stateSaver } from "./saved-logs.ts";
import type { StatePlace } from "./state-folder.ts";
import { madePlaces } from "./state-places.ts";

/** Milliseconds; less than any hook may take. While a database is opened, nothing else can end the wait. */
const LOCK_TIMEOUT = 12_000;

interface Observing {
  readonly configFolder: string;
  readonly redact: Redact;
  readonly looksAhead: boolean;
  /** Aborted when the hook ends, whatever is still looked at. */
  readonly signal: AbortSignal;
}

/**
 * The state of a repository, as far as a session is recorded in it. The log is not signed here, which would take longer
 * than all the rest: the next command that closes it signs.
 */
export function openObserver(place: StatePlace, { configFolder, redact, looksAhead, signal }: Observing): OpenState {
  const { root } = place;
  const places = madePlaces(place.stateFolder, knownLogs(configFolder));
  const { saveLog, saveKnowledge } = stateSaver(place);
  // Before the log is opened: git answers meanwhile.
  const repository = gitRepository({
    folder: places.git,
    environment: cleanEnvironment(["XDG_CONFIG_HOME"]),
    signal,
    ...(looksAhead && { lookedAtNext: root }),
  });
  const log = openSqliteLog(places.log.path, { ...places.log, save: saveLog, lockTimeout: LOCK_TIMEOUT });
  let knowledge: KnowledgeStore | null = null;
  return {
    ports: {
      log,
      clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
      workspace: folderWorkspace(place),
      repository,
      get knowledge() {
        const options = { ...places.knowledge, save: saveKnowledge, lockTimeout: LOCK_TIMEOUT };
        return (knowledge ??= openKnowledgeStore(places.knowledge.path, options));
      },
      redact,
    },
    hasKnowledge: () => existsSync(places.knowledge.path),
    async close() {
      await Promise.all([log.close(), knowledge?.close()]);
      await places.close();
    },
  };
}
