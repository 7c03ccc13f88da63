import { NODE_WITH_STATE } from "../../ports/sqlite.ts";
import { CLIENT_SETUPS, type ClientSetup } from "../doctor/client-setups.ts";
import type { DoctorMachine } from "../doctor/doctor-machine.ts";
import type { HeardCall } from "../../views/hook-notices.ts";
import { formatFolder } from "./format-folder.ts";
import { readFormatFiles } from "./load-formats.ts";
import { type HookStatus, lookAtHooks } from "./look-at-hooks.ts";

/** One thing that was looked at. */
export interface SetupFinding {
  readonly about: "node" | "git" | "state" | "sandbox" | "ports" | "formats" | "sessions" | "client" | "mcp";
  /** Of a client, its name; else null. */
  readonly client: string | null;
  /** `wrong` keeps something from working that was asked for; `note` is worth knowing. */
  readonly is: "fine" | "note" | "wrong";
  readonly says: string;
  /** The command, or what the user has to do, that mends it; null when there is nothing to mend. */
  readonly fix: string | null;
}

type Part = Omit<SetupFinding, "about" | "client">;

/** Looks at everything that must be there for handoffs to be checked; changes nothing. */
export async function examineSetup(machine: DoctorMachine): Promise<SetupFinding[]> {
  const { stateFolder } = await machine.state();
  const place = { root: machine.root, configFolder: machine.configFolder };
  const hooks = await lookAtHooks({ ...place, mark: machine.mark(), stateFolder, settings: () => machine });
  const owes = hooks.is_wanted;
  const general = (about: SetupFinding["about"], parts: readonly Part[]): SetupFinding[] =>
    parts.map((part) => ({ about, client: null, ...part }));
  return [
    ...general("node", [nodeFinding(machine)]),
    ...general("git", [await gitFinding(machine)]),
    ...general("state", await stateFindings(machine)),
    ...general("sandbox", await sandboxFindings(machine)),
    ...general("ports", [await portFinding(machine)]),
    ...general("formats", formatFindings(machine)),
    ...general("sessions", sessionFindings(hooks, owes)),
    ...(await clientFindings(machine, hooks, owes)),
    ...general("mcp", [await mcpFinding(machine)]),
  ];
}

function fine(says: string): Part {
  return { is: "fine", says, fix: null };
}

function nodeFinding({ node }: DoctorMachine): Part {
  const says = `Node ${node.version} with SQLite ${node.sqlite}`;
  if (node.keepsState) return fine(says);
  return { is: "wrong", says: `${says} can damage a database: no state is kept`, fix: `Install ${NODE_WITH_STATE}` };
}

async function gitFinding(machine: DoctorMachine): Promise<Part> {
  const program = machine.findProgram("git");
  const version = program === null ? null : await machine.ask(program, ["--version"]);
  if (version === null) return { is: "wrong", says: "git is not there: no claim can be verified", fix: "Install git" };
  if (machine.isRepository) return fine(version);
  return { is: "note", says: `${version}; this folder is no repository, so no claim is verified`, fix: "git init" };
}

async function stateFindings(machine: DoctorMachine): Promise<Part[]> {
  const { stateFolder, hasLog, canBeWritten, notes } = await machine.state();
  const wrong = notes.map((says): Part => ({ is: "wrong", says, fix: "baton status --where" }));
  if (!canBeWritten)
    wrong.push({ is: "wrong", says: `${stateFolder} cannot be written`, fix: `chmod u+rwx "${stateFolder}"` });
  if (wrong.length > 0) return wrong;
  return [fine(hasLog ? `state in ${stateFolder}` : `no state yet; it will be in ${stateFolder}`)];
}

async function sandboxFindings(machine: DoctorMachine): Promise<Part[]> {
  const notices = await machine.sandboxNotices();
  if (notices.length === 0) return [fine("gates run in a sandbox")];
  return notices.map((says) => ({
    is: "note",
    says,
    fix: "Install bubblewrap, for example: apt-get install bubblewrap",
  }));
}

const SERVE_PORT = 4500;

async function portFinding(machine: DoctorMachine): Promise<Part> {
  if (await machine.isPortFree(SERVE_PORT)) return fine(`port ${SERVE_PORT} is free for the page`);
  const says = `port ${SERVE_PORT} is in use: by a page of Baton, or else the page takes another port`;
  return { is: "note", says, fix: "baton serve" };
}

function formatFindings({ root }: DoctorMachine): Part[] {
  const folder = formatFolder(root);
  const files = folder === null ? [] : readFormatFiles(folder);
  if (files.length === 0) return [fine("the five formats that come along; none of your own")];
  return files.map(({ path, dialect }) =>
    dialect === null
      ? { is: "wrong", says: `${path} has errors: its format cannot be used`, fix: "baton format check" }
      : fine(`${dialect.name} (${path})`),
  );
}

function sessionFindings({ notices }: HookStatus, owes: boolean): Part[] {
  if (!owes)
    return [
      {
        is: "note",
        says: "no agent owes a handoff in its own client: baton.yaml has no section `sessions`",
        fix: "Write one, for example `sessions: { agents: { reviewer: { format: task-yaml } } }`, then: baton trust",
      },
    ];
  if (notices.length === 0) return [fine("agents that owe a handoff are checked")];
  return notices.map(({ says, fix }) => ({ is: "wrong", says, fix: fix.includes("doctor") ? START_ONE : fix }));
}

/** What can be seen of the clients is told below. */
const START_ONE = "Mend what is said of the client below, start a session of it here, and look again";

async function clientFindings(machine: DoctorMachine, hooks: HookStatus, owes: boolean): Promise<SetupFinding[]> {
  const found = await Promise.all(CLIENT_SETUPS.map((setup) => clientFinding(machine, setup, hooks, owes)));
  const findings = found.flat();
  if (findings.length > 0) return findings;
  const says = `no client was found: ${CLIENT_SETUPS.map(({ title }) => title).join(", ")}`;
  return [{ about: "client", client: null, is: "note", says, fix: null }];
}

async function clientFinding(
  machine: DoctorMachine,
  setup: ClientSetup,
  { heard }: HookStatus,
  owes: boolean,
): Promise<SetupFinding[]> {
  const calls = heard.filter(({ client }) => client === setup.client);
  const program = machine.findProgram(setup.program);
  if (program === null && calls.length === 0) return [];
  const version = program === null ? null : await machine.ask(program, ["--version"]);
  const name = [setup.title, versionIn(version)].filter((part) => part !== "").join(" ");
  const { file, toTrust, dead } = setup.hooks(machine);
  const finding = (part: Part): SetupFinding[] => [{ about: "client", client: setup.client, ...part }];
  if (dead !== null)
    return finding({
      is: "wrong",
      says: `${name}: hooks in ${file} name ${dead}, which is not there`,
      fix: setup.install(machine.packageFolder),
    });
  if (calls[0] !== undefined) return finding(heardOf(name, calls, { file, toTrust }));
  if (file === null)
    return finding({
      is: owes ? "wrong" : "note",
      says: `${name}: no hooks of Baton, so nothing is checked there`,
      fix: setup.install(machine.packageFolder),
    });
  if (toTrust !== null)
    return finding({
      is: "wrong",
      says: `${name}: hooks in ${file}, which it skips until you trust them`,
      fix: toTrust,
    });
  const says = `${name}: hooks in ${file}, not heard of in this repository yet`;
  return finding({ is: "note", says, fix: `Start ${setup.program} here once, and look again` });
}

const WEEK = 7 * 24 * 3_600_000;

/** A plugin may be given for one session only, and trust be passed over for one: what was heard of was there. */
function heardOf(
  name: string,
  calls: readonly HeardCall[],
  { file, toTrust }: { readonly file: string | null; readonly toTrust: string | null },
): Part {
  const says = `${name}: hooks heard of ${lastHeard(calls)}`;
  if (file !== null && toTrust !== null) return { is: "note", says: `${says}; they are not trusted now`, fix: toTrust };
  const isOld = calls.every(({ at }) => Date.now() - at > WEEK);
  if (file !== null || !isOld) return fine(says);
  return { is: "note", says: `${says}; no settings name them now`, fix: "Install the plugin again, if it is gone" };
}

function versionIn(line: string | null): string {
  return /\d+\.\d+\.\d+(?:[.-]?\w+)*/.exec(line ?? "")?.[0] ?? "";
}

/** When, and at which events. */
function lastHeard(calls: readonly HeardCall[]): string {
  const last = new Date(Math.max(...calls.map(({ at }) => at))).toISOString();
  return `${last.slice(0, 16).replace("T", " ")} UTC (${calls
    .map(({ event }) => event)
    .sort()
    .join(", ")})`;
}

async function mcpFinding(machine: DoctorMachine): Promise<Part> {
  const answer = await machine.greetMcp();
  if (answer !== null) return fine(`baton mcp answers (${answer})`);
  return { is: "wrong", says: "baton mcp does not answer", fix: "Run `baton mcp </dev/null`: it says why" };
}
