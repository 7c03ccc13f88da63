import { join } from "node:path";
import { gateMachine } from "../agents/sandbox/gate-machine.ts";
import { TOOLCHAIN_FILE } from "../agents/sandbox/toolchains.ts";
import type { GateMachine } from "../ports/command-runner.ts";
import { findStatePlace } from "./state-folder.ts";

/** As gates of the repository around this directory would find the machine. */
export function openGateMachine(directory: string, configFolder: string): GateMachine {
  const { root, stateFolder, workFolder, savedFolder } = findStatePlace(directory, process.env);
  const hidden = [stateFolder, workFolder, savedFolder, configFolder];
  return gateMachine({ root, hidden, toolchainFile: join(configFolder, TOOLCHAIN_FILE) });
}
