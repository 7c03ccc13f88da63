import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { EXIT } from "../cli/exit-code.ts";
import type { HookClient, HookMoment } from "../runtime/hooks/hook-call.ts";
import type { HookMachine } from "../runtime/hooks/hook-machine.ts";
import { redactor } from "../shared/redact.ts";
import { secretValues } from "./kept-secret.ts";
import { findStatePlace, repositoryMark } from "./state-folder.ts";

/** The plugins have clients wait a third longer: a client that ends a hook is not told why, and nor is its user. */
const MAX_TIMES: Readonly<Record<HookMoment, number | null>> = {
  "session-start": 15_000,
  prompt: 15_000,
  "agent-start": 15_000,
  "agent-stop": 45_000,
  stop: 45_000,
  // The client waits for no answer.
  "session-end": null,
};

/** What `baton hook` uses. It is started at every stop of an agent, so nothing is opened before it is needed. */
export function openHookMachine(directory: string, configFolder: string): HookMachine {
  const { env } = process;
  const redact = redactor(secretValues(env));
  const ending = new AbortController();
  return {
    configFolder,
    isDriven: (env["BATON_SUBMIT_TOKEN"] ?? "") !== "",
    redact,
    now: () => Date.now(),
    nonce: () => randomBytes(16).toString("hex"),
    maxTime: (moment) => MAX_TIMES[moment],
    place(client, told) {
      const statePlace = findStatePlace(projectFolder(client, env) ?? existing(told) ?? directory, env);
      const { root, stateFolder } = statePlace;
      return {
        root,
        stateFolder,
        mark: () => repositoryMark(root),
        async openState({ looksAhead } = { looksAhead: false }) {
          const { openObserver } = await import("./open-observer.ts");
          return openObserver(statePlace, { configFolder, redact, looksAhead, signal: ending.signal });
        },
      };
    },
    end() {
      ending.abort();
      process.exit(EXIT.fine);
    },
  };
}

/** An agent can change its folder, and so the one that its client tells; the project stays. */
function projectFolder(client: HookClient, env: NodeJS.ProcessEnv): string | null {
  return client === "claude" || client === "gemini" ? existing(env["CLAUDE_PROJECT_DIR"] ?? null) : null;
}

function existing(folder: string | null): string | null {
  return folder !== null && isAbsolute(folder) && existsSync(folder) ? folder : null;
}
