import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Run, baton, projectRoot, workroom } from "../../cli/run-baton.ts";

const COMMAND = join(projectRoot, "dist/cli/baton.cjs");

/** What the environment calls the person; not the account. */
export const CALLED = "somebody-else";

type Disguise = "plain" | "cleared" | "daemon" | "limited";

interface Call {
  readonly how: Disguise;
  readonly line: string;
}

interface Said {
  readonly code: number;
  readonly said: string;
}

/** A repository with a run that waits for a person, and an agent that calls the command line. */
export interface AgentRoom {
  readonly folder: string;
  /** A run that waits for an approval. */
  readonly waiting: string;
  /** A run that waits and may be cancelled. */
  readonly cancelled: string;
  /** The run whose agent has called last. */
  readonly sly: string;
  baton(...args: readonly string[]): Promise<Run>;
  /** Has an agent call these command lines, one after the other. */
  work(calls: readonly Call[]): Promise<void>;
  answerTo(how: Disguise, index: number): Said;
  /** Has a gate call this command line. */
  gate(line: string): Promise<Said>;
  /** Messages in the inbox of the waiting run. */
  inbox(): Promise<readonly Record<string, unknown>[]>;
  events(run: string): Promise<readonly Record<string, unknown>[]>;
}

const CALLER = `import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const { ROOM: room, HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, PATH } = process.env;
const kept = Object.entries({ HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, PATH }).map(([name, value]) => name + "=" + value);
const program = [process.execPath, existsSync("cli") ? process.cwd() + "/cli/baton.cjs" : ${JSON.stringify(COMMAND)}];
function call({ how, line }, index) {
  const out = room + "/said-" + index;
  const words = line.split(" ");
  const clear = ["env", "-i", ...kept, ...program, ...words];
  const limit = ["prlimit", "--rttime=1000000:1000000", ...clear];
  if (how === "plain" || how === "cleared") {
    const [name, ...rest] = how === "plain" ? [...program, ...words] : clear;
    const { status, stdout, stderr } = spawnSync(name, rest, { encoding: "utf8", timeout: 20_000 });
    return { code: status, said: stdout + stderr };
  }
  const script = '( "$@" > "$0" 2>&1; echo $? > "$0.code" ) &';
  spawnSync("setsid", ["env", "-i", ...kept, "sh", "-c", script, out, ...(how === "daemon" ? clear : limit)], { stdio: "ignore" });
  while (!existsSync(out + ".code") || readFileSync(out + ".code", "utf8") === "") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return { code: Number(readFileSync(out + ".code", "utf8")), said: readFileSync(out, "utf8") };
}
`;

const AGENT = `${CALLER}
readFileSync(0);
const calls = JSON.parse(readFileSync(room + "/calls.json", "utf8"));
writeFileSync(room + "/answers.json", JSON.stringify(calls.map(call)));
process.stdout.write("## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\n\`\`\`\\n");
`;

/** Its output is what the log keeps of it. */
const GATE = `${CALLER}
const { code, said } = call({ how: "cleared", line: process.argv[2] }, 0);
console.log("GATE " + JSON.stringify({ code, said }));
process.exit(1);
`;

const INHERIT = "inherit: [ROOM, XDG_CONFIG_HOME, XDG_STATE_HOME]";

function workflow(name: string, more = ""): string {
  return `baton: 1
name: ${name}
${more}start: Sly
agents:
  Sly:
    run: { process: [node, agent.mjs], ${INHERIT} }
    dialect: task-yaml
    ${name === "gated" ? "gates: [sly]" : "verify: off"}
    routes: { done: end }
`;
}

const folderWith = workroom();

export async function openAgentRoom(): Promise<AgentRoom> {
  const folder = folderWith({
    "agent.mjs": AGENT,
    "gate.mjs": GATE,
    "waits.yaml": workflow("waits", "mode: supervised\n"),
    "sly.yaml": workflow("sly"),
    "other.yaml": workflow("other"),
  });
  const room = folderWith({ journal: "" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "begin");
  const home = mkdtempSync(join(room, "home-"));
  const env = {
    ROOM: room,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
    USER: CALLED,
    LOGNAME: CALLED,
  };
  const command = async (...args: readonly string[]): Promise<Run> => baton(args, { cwd: folder, env });
  const started = async (file: string): Promise<string> => {
    await command("trust", file);
    const { stdout, stderr } = await command("run", file, "--json");
    const { run } = JSON.parse(stdout || "{}") as { run?: string };
    if (run === undefined) throw new Error(stdout + stderr);
    return run;
  };
  const [waiting, cancelled] = [await started("waits.yaml"), await started("waits.yaml")];
  let sly = "";
  return {
    folder,
    waiting,
    cancelled,
    get sly() {
      return sly;
    },
    baton: command,
    async work(calls) {
      writeFileSync(join(room, "calls.json"), JSON.stringify(calls));
      sly = await started("sly.yaml");
    },
    answerTo(how, index) {
      const answers = JSON.parse(readFileSync(join(room, "answers.json"), "utf8")) as Said[];
      const calls = JSON.parse(readFileSync(join(room, "calls.json"), "utf8")) as Call[];
      if (calls[index]?.how !== how) throw new Error(`call ${index} is not ${how}`);
      return answers[index] ?? { code: -1, said: "" };
    },
    async gate(line) {
      const gates = `gates:\n  sly: { command: [node, gate.mjs, ${JSON.stringify(line)}], ${INHERIT}, failed: person }\n`;
      writeFileSync(join(folder, "gated.yaml"), workflow("gated", gates));
      writeFileSync(join(room, "calls.json"), "[]");
      // The sandbox shows the workspace and little more.
      cpSync(dirname(COMMAND), join(folder, "cli"), { recursive: true });
      const run = await started("gated.yaml");
      const text = (await command("log", run, "--json")).stdout;
      const [, found] = /GATE (\{.*?\})\\n/.exec(text.replaceAll('\\"', '"').replaceAll("\\\\n", " ")) ?? [];
      if (found === undefined) throw new Error(`the gate said nothing: ${text}`);
      return JSON.parse(found) as Said;
    },
    async inbox() {
      const log = new DatabaseSync(join(folder, ".git/baton/baton.db"), { readOnly: true });
      const rows = log
        .prepare(
          "SELECT input FROM letters JOIN runs ON runs.number = letters.run WHERE runs.run = ? AND input IS NOT NULL",
        )
        .all(waiting);
      log.close();
      return rows.map(({ input }) => JSON.parse(String(input)) as Record<string, unknown>);
    },
    async events(run) {
      const lines = (await command("log", run, "--json")).stdout.trimEnd().split("\n");
      return lines
        .map((each) => JSON.parse(each) as { kind: string; data: Record<string, unknown> })
        .flatMap(({ kind, data }) => (kind === "input" ? [] : [data]));
    },
  };
}
