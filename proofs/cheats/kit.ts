import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a scripted agent has at hand. It works in the repository, with the rights of the user, as real agents do. */
export interface Kit {
  readonly agent: string;
  /** From 1: which round of the run it is. */
  readonly round: number;
  /** The folder beside the repository: the home of the user is in it. */
  readonly room: string;
  readonly prompt: string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Replaces a text that must be there. */
  edit(path: string, from: string, to: string): void;
  remove(path: string): void;
  run(program: string, ...args: readonly string[]): string;
  git(...args: readonly string[]): string;
  /** Commits everything and returns the id. */
  commit(message: string): string;
  /** Calls the command as an agent can; returns everything that it printed, whatever its exit code is. */
  baton(...args: readonly string[]): string;
  /** Hands over in `pipeline-json`; what is not said is what an honest agent says that has changed nothing. */
  handOver(changes?: Readonly<Record<string, unknown>>): void;
}

export const artifact = (path: string): object => ({
  type: /test/.test(path) ? "test_file" : "source_file",
  path,
  purpose: "Part of the discount",
  priority: "high",
});

/** The work that the builder is asked for, done well, and what it says of it. */
export function addDiscount(kit: Kit): void {
  const text = kit.read("src/cart.mjs");
  if (!text.includes("discount")) kit.write("src/cart.mjs", `${text}${DISCOUNT}`);
}

/** An agent that hands over in another format says it last. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export const speaks =
  (dialect: string): ((text: string) => string) =>
  (text) =>
    text.replace("dialect: pipeline-json", `dialect: ${dialect}`);

/** A handoff of the builder in `issue-xml`. */
export function xml(data: string, { at = new Date().toISOString() } = {}): string {
  return `<handoff><from>builder</from><to>tester</to><timestamp>${at}</timestamp><issue_number>7</issue_number><status>success</status><summary>The discount is there</summary><data>${data}</data></handoff>`;
}

/** A handoff of the builder in `task-yaml`. */
export function task(rest: string): string {
  return `## Handoff\n\n\`\`\`yaml\noutcome: completed\n${rest}\`\`\``;
}

const DISCOUNT = `
export function discount(sum, percent) {
  if (percent < 0 || percent > 100) throw new RangeError("percent");
  return sum - (sum * percent) / 100;
}
`;

/** A bug in what worked before: a quantity counts no more. */
export function breakTotal(kit: Kit): void {
  addDiscount(kit);
  kit.edit("src/cart.mjs", "sum + price * quantity", "sum + price");
}

export function makeKit(room: string): Kit {
  const agent = process.env["BATON_AGENT"] ?? "";
  const round = Number(process.env["BATON_ITERATION"] ?? 1);
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const git = (...args: readonly string[]): string => run("git", ...args);
  const kit: Kit = {
    agent,
    round,
    room,
    prompt: readFileSync(0, "utf8"),
    read: (path) => readFileSync(path, "utf8"),
    write(path, text) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    edit(path, from, to) {
      const text = kit.read(path);
      // A second attempt finds its own work.
      if (text.includes(from)) kit.write(path, text.replace(from, to));
    },
    remove: (path) => rmSync(path, { recursive: true, force: true }),
    run,
    git,
    commit(message) {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", message);
      return git("rev-parse", "HEAD");
    },
    baton: (...args) => batonIn(room, args),
    handOver: (changes = {}) =>
      kit.write(`handoff-${agent}.json`, `${JSON.stringify({ ...handoff(agent, round), ...changes }, null, 2)}\n`),
  };
  return kit;
}

function handoff(agent: string, round: number): object {
  return {
    from_agent: agent,
    to_agent: agent === "builder" ? "tester" : "COMPLETE",
    timestamp: new Date().toISOString(),
    status: "PASS",
    iteration: round,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    artifacts: [],
    context: { design_decisions: [], known_limitations: [], assumptions: [] },
    test_requirements: { coverage: 0, critical_paths: [], edge_cases_to_test: [] },
    validation: { command: "npm test", expected_result: "All tests pass", checklist: [] },
  };
}

/** The command that the user has, as the room names it. */
function batonIn(room: string, args: readonly string[]): string {
  const { node, command } = JSON.parse(readFileSync(join(room, "command.json"), "utf8")) as Record<string, string>;
  const { stdout, stderr } = spawnSync(node ?? "", [command ?? "", ...args], { encoding: "utf8" });
  return `${stdout}${stderr}`;
}

/** Starts a shell that has left the group, the session and the parent of the agent, with an empty environment. */
export function detach(line: string): void {
  const child = spawn("setsid", ["--fork", "env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", line], {
    stdio: "ignore",
    detached: true,
  });
  child.unref();
}
