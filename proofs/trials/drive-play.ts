import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { load } from "js-yaml";
import { all, issueOf, type Turn } from "./read-play.ts";
import { type PlayFile, type Started, startedSoFar } from "./scripted-agent.ts";

const root = join(import.meta.dirname, "../..");
const node = join(root, "node_modules/node/bin/node");
const command = join(root, "dist/cli/baton.cjs");

/** A workflow, what its agents do, and what stands in the repository at the beginning. */
interface Play {
  /** The text of the workflow: who speaks which dialect. */
  readonly workflow: string;
  /** What `baton run` is given: a name of a ready workflow, or none, and then the text is baton.yaml. */
  readonly ready: string | null;
  readonly turns: readonly Turn[];
  readonly options: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** What was seen of a run. */
export interface Seen {
  readonly code: number | null;
  readonly started: readonly Started[];
  /** What `--json` printed at the end; null when that was no JSON. */
  readonly run: RunJson | null;
  /** Everything that the commands printed, for whoever looks for the reason. */
  readonly printed: string;
  /** `baton status RUN`, for people. */
  readonly told: string;
  /** `baton log RUN`; null when it was not looked at. */
  readonly log: string | null;
  /** What `baton replay` has to say against the decisions of the run; null when it decides the same. */
  readonly replayed: string | null;
  readonly folder: string;
}

export interface RunJson {
  readonly run: string;
  readonly status: string;
  readonly iteration: number;
  readonly asks: readonly AskJson[];
  readonly [key: string]: unknown;
}

interface AskJson {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly choices: readonly (string | { readonly choice: string })[];
  readonly [key: string]: unknown;
}

interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `keep` leaves the folder there, `replay` looks at the log, too, and decides everything again. */
interface DriveOptions {
  readonly keep?: boolean;
  readonly replay?: boolean;
}

/** Drives a play from start to end with the built command, in a repository of its own, which is gone afterwards. */
export async function drivePlay(play: Play, { keep = false, replay = false }: DriveOptions = {}): Promise<Seen> {
  const room = mkdtempSync(join(tmpdir(), "baton-trial-"));
  try {
    const repository = join(room, "repository");
    prepare(room, repository, play);
    return await drive(room, repository, play, replay);
  } finally {
    if (!keep) rmSync(room, { recursive: true, force: true });
  }
}

async function drive(room: string, repository: string, play: Play, replay: boolean): Promise<Seen> {
  const baton = (...args: string[]): Promise<Printed> => run(room, repository, args);
  const first = play.ready === null ? [] : [play.ready];
  await baton("trust", ...first);
  let last = await baton("run", ...first, "--json", "--brief", "Add the part", ...play.options);
  let printed = `$ run\n${last.stderr}`;
  const failOn = play.options.filter(
    (_, index, { [index - 1]: before }) => before === "--fail-on" || play.options[index] === "--fail-on",
  );
  for (const turn of play.turns.filter(({ agent }) => agent === "person")) {
    const state = readRun(last.stdout);
    const ask = state?.asks[0];
    if (state === null || ask === undefined) break;
    const answer = await baton(
      "answer",
      state.run,
      ask.id,
      choiceOf(turn, ask),
      ...(turn.text === "" ? [] : [turn.text]),
    );
    last = await baton("resume", state.run, "--json", ...failOn);
    printed += `$ answer ${choiceOf(turn, ask)}\n${answer.stdout}${answer.stderr}$ resume\n${last.stderr}`;
  }
  const seen = await lookAt(baton, readRun(last.stdout), replay);
  return { ...seen, code: last.code, started: startedSoFar(room), printed, folder: room };
}

/** What the other commands say of the run afterwards. */
async function lookAt(
  baton: (...args: string[]) => Promise<Printed>,
  state: RunJson | null,
  withReplay: boolean,
): Promise<Pick<Seen, "run" | "told" | "log" | "replayed">> {
  if (state === null) return { run: null, told: "", log: null, replayed: null };
  const words = withReplay ? ["status", "log", "replay"] : ["status"];
  const [status, log, replay] = await Promise.all(words.map((word) => baton(word, state.run)));
  const replayed = replay === undefined || replay.code === 0 ? null : `${replay.stdout}${replay.stderr}`;
  return { run: state, told: status?.stdout ?? "", log: log?.stdout ?? null, replayed };
}

/** The choice of a person, in the words that the run offers. */
function choiceOf({ word, argument }: Turn, { choices }: AskJson): string {
  const offered = choices.map((choice) => (typeof choice === "string" ? choice : choice.choice));
  if (word !== "more")
    return offered.includes(word) ? word : ((SYNONYMS[word] ?? []).find((one) => offered.includes(one)) ?? word);
  return (
    offered.find((one) => /more|round|loop/.test(one) && one.includes(argument)) ??
    offered.find((one) => /more|round|loop/.test(one)) ??
    "more"
  );
}

const SYNONYMS: Readonly<Record<string, readonly string[]>> = { answer: ["resolved", "retry"] };

function readRun(text: string): RunJson | null {
  try {
    const value = JSON.parse(text) as RunJson;
    // What refuses to start prints JSON, too.
    return "asks" in value ? value : null;
  } catch {
    return null;
  }
}

async function run(room: string, cwd: string, args: readonly string[]): Promise<Printed> {
  const env = {
    PATH: [dirname(node), process.env["PATH"]].join(delimiter),
    HOME: join(room, "home"),
    TMPDIR: process.env["TMPDIR"] ?? tmpdir(),
    XDG_CONFIG_HOME: join(room, "home/config"),
    XDG_STATE_HOME: join(room, "home/state"),
    XDG_CACHE_HOME: join(tmpdir(), "baton-trials-cache"),
    LANG: "C.UTF-8",
  };
  const child = spawn(node, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") };
}

interface WorkflowText {
  readonly agents: Readonly<
    Record<string, { readonly dialect: string; readonly phase?: string; readonly run: object }>
  >;
}

function prepare(room: string, repository: string, play: Play): void {
  // A mark at the beginning of a file is no part of its YAML.
  const { agents } = load(play.workflow.replace(/^\uFEFF/, "")) as WorkflowText;
  const speakers = Object.entries(agents).map(
    ([name, { dialect, phase }]) => [name, { dialect, phase: phase ?? null }] as const,
  );
  const isIssue = play.ready === "issue";
  const file: PlayFile = {
    agents: Object.fromEntries(speakers),
    turns: play.turns,
    issueKit: isIssue ? join(root, "examples/issue/agents/kit.mjs") : null,
  };
  const agent = writeAgent(room);
  const script = `process.env.BATON_TRIAL = ${JSON.stringify(room)};\nawait import(${JSON.stringify(agent)});\n`;
  write(join(room, "play.json"), JSON.stringify(file));
  mkdirSync(join(room, "home"), { recursive: true });
  for (const [name] of speakers) write(join(repository, `agents/${name}.mjs`), script);
  if (play.ready === null) write(join(repository, "baton.yaml"), play.workflow);
  for (const [path, text] of Object.entries({ ...START, ...places(play.turns), ...play.files }))
    write(join(repository, path), text);
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repository });
  git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [
    ["user.name", "Trial"],
    ["user.email", "trial@localhost"],
    ["commit.gpgsign", "false"],
    ["gc.auto", "0"],
  ] as const)
    git("config", key, value);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
}

/** What the scripts of the agents import, without types: Node would take them out anew for every start of an agent. */
function writeAgent(room: string): string {
  for (const name of ["agent", "scripted-agent", "read-play", "write-handoff", "write-issue"])
    write(join(room, `agent/${name}.mjs`), withoutTypes(name));
  return join(room, "agent/agent.mjs");
}

const stripped = new Map<string, string>();

function withoutTypes(name: string): string {
  const source = (): string => readFileSync(join(import.meta.dirname, `${name}.ts`), "utf8");
  const text = stripped.get(name) ?? stripTypeScriptTypes(source()).replaceAll('.ts"', '.mjs"');
  stripped.set(name, text);
  return text;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const LINES = Array.from({ length: 100 }, (_, index) => `// line ${index + 1}\n`).join("");

const START: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "trial", private: true, scripts: { lint: "test ! -e lint-fails", test: "true" } })}\n`,
  "src/begun.mjs": LINES,
  "features/trial/notes.md": "# Trial\n",
};

/** Files with enough lines for every place that an issue names: a place that is not there would be a refuted claim. */
function places(turns: readonly Turn[]): Record<string, string> {
  const named = turns.flatMap((turn) => [
    ...all(turn, "issue").map((written) => issueOf(written).location),
    ...all(turn, "fixes"),
    ...all(turn, "pretends"),
  ]);
  return Object.fromEntries(named.map((place) => [place.split(":")[0] ?? "", LINES]));
}
