import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Runner } from "../../src/workflow/definition.ts";
import type { RealClient } from "./clients.ts";

const here = import.meta.dirname;
const offline = join(here, "../../../shared/real-clients/offline.sh");
const clients = process.env["BATON_REAL_CLIENTS"] ?? "";

/** Folders of runs, each with `home` and `proj` in it. */
const made: string[] = [];

export function aRunFolder(client: RealClient): string {
  const run = realpathSync(mkdtempSync(join(tmpdir(), "real-client-")));
  made.push(run);
  mkdirSync(join(run, "proj"));
  writeFiles(client, run);
  return run;
}

/** What the client remembers is lost: a home as it was before the first start. */
export function forgetAll(client: RealClient, run: string): void {
  rmSync(join(run, "home"), { recursive: true, force: true, maxRetries: 5 });
  writeFiles(client, run);
}

function writeFiles(client: RealClient, run: string): void {
  for (const [name, text] of Object.entries(client.files ?? {})) {
    mkdirSync(dirname(join(run, name)), { recursive: true });
    writeFileSync(join(run, name), text);
  }
}

export function removeRunFolders(): void {
  for (const run of made.splice(0)) rmSync(run, { recursive: true, force: true, maxRetries: 5 });
}

/** The client without a network, with a model that plays the scenario: the only way in which one is started. */
export function offlineRunner(client: RealClient, run: string, scenario: string): Runner {
  const script = join(here, "offline-client.sh");
  const command = [script, offline, run, join(here, scenario), ...client.variables, "--", programOf(client)];
  return { kind: client.kind, command: [...command, ...(client.parameters ?? [])], options: {} };
}

/** Why a client cannot be tested here; its suite is named with it. */
export function whyAbsent(client: RealClient): string | null {
  return findAbsence(programOf(client));
}

/** Any command in the same place, with what it starts: loopback, an empty environment, the fake model. */
export function offlineCommand(
  run: string,
  scenario: string,
  variables: readonly string[],
  command: readonly string[],
): string[] {
  return [offline, run, join(here, scenario), ...variables, "--", ...command];
}

/** The OTLP receiver that comes with it: `PORT FILE`. */
export const offlineSink = join(dirname(offline), "otlp-sink.mjs");

export function programOf(client: RealClient): string {
  return join(clients, "node_modules/.bin", client.program);
}

function findAbsence(program: string): string | null {
  if (clients === "") return "BATON_REAL_CLIENTS names no folder with clients";
  if (!existsSync(program)) return `${program} is not installed`;
  try {
    accessSync(offline, constants.X_OK);
  } catch {
    return "../shared/real-clients/offline.sh is not there";
  }
  return process.getuid?.() === 0 ? null : "namespaces need root";
}
