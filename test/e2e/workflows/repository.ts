import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { prepareExample } from "../../../examples/prepare-example.mjs";
import type { RunView } from "../../../src/views/run-view.ts";
import type { Event } from "../../../src/workflow/event.ts";
import { pipeline } from "../../../src/workflow/ready/pipeline.ts";
import { type Run, baton } from "../../cli/run-baton.ts";

/** Who asks, as the log calls them: not by the variable USER. */
export const ACCOUNT = userInfo().username;

/** A repository of its own in a temporary folder, with a home of its own: nothing touches ours. */
export interface Repository {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  baton(...args: readonly string[]): Promise<Run>;
  git(...args: readonly string[]): string;
  /** Everything that was decided in the newest run. */
  events(): Promise<Event[]>;
  /** Where the newest run stands. */
  view(): Promise<RunView>;
}

/** Makes copies of the examples; all of them are gone when the test file ends. */
export function examples(): (name: string) => Repository {
  const room = mkdtempSync(join(tmpdir(), "baton-e2e-"));
  afterAll(() => rmSync(room, { recursive: true, force: true }));
  return (name) => repositoryIn(prepareExample(name, room), mkdtempSync(join(room, "home-")));
}

/** The same repository with everything in it, its state too, in the hands of somebody else. */
export function cloneOf({ folder, environment }: Repository): Repository {
  const home = mkdtempSync(`${environment["HOME"] ?? ""}-clone-`);
  cpSync(folder, join(home, "clone"), { recursive: true });
  return repositoryIn(join(home, "clone"), home);
}

/** The same repository with everything in it, at another place of the same operator. */
export function copyOf({ folder, environment }: Repository): Repository {
  const home = environment["HOME"] ?? "";
  const copy = join(mkdtempSync(`${home}-copy-`), "copy");
  cpSync(folder, copy, { recursive: true });
  return repositoryIn(copy, home);
}

export function repositoryIn(folder: string, home: string, more: Readonly<Record<string, string>> = {}): Repository {
  const state = join(home, ".local/state");
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: state,
    USER: "tester",
    ...more,
  };
  const command = async (...args: readonly string[]): Promise<Run> => baton(args, { cwd: folder, env: environment });
  return {
    folder,
    environment,
    baton: command,
    git: (...args) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim(),
    async events() {
      const { stdout } = await command("log", "--json");
      const entries = stdout.trimEnd().split("\n");
      return entries
        .map((line) => JSON.parse(line) as { kind: string; data: Event })
        .flatMap(({ kind, data }) => (kind === "input" ? [] : [data]));
    },
    async view() {
      const list = JSON.parse((await command("status", "--json")).stdout) as { runs: { run: string }[] };
      const { stdout } = await command("status", list.runs[0]?.run ?? "", "--json");
      return JSON.parse(stdout) as RunView;
    },
  };
}

const AGENTS = ["BackendBuilder", "TestAgent", "CodeReviewer", "SecurityScanner", "DocumentationDynamo"];

/** The pipeline with agents that only pretend: how each behaves stands in behaviour.json. */
export function pretend(
  repository: Repository,
  behaviours: Readonly<Record<string, string>>,
  patience: string = "30s",
  change = (text: string): string => text,
): void {
  const { folder } = repository;
  for (const agent of AGENTS)
    copyFileSync(join(import.meta.dirname, "scripted-agent.mjs"), join(folder, "agents", `${agent}.mjs`));
  behave(repository, behaviours);
  writeFileSync(join(folder, WORKFLOW), change(impatient(pipeline, patience)));
}

export function behave({ folder }: Repository, behaviours: Readonly<Record<string, string>>): void {
  writeFileSync(join(folder, "behaviour.json"), JSON.stringify(behaviours));
}

export const WORKFLOW = "impatient.yaml";

/** The same graph without gates and long waits; the patience with TestAgent is the test's. */
function impatient(text: string, patience: string): string {
  return text
    .replaceAll("dialect: pipeline-json", "dialect: pipeline-json\n    retry: { most: 1, delay: 10ms }")
    .replace("  TestAgent:\n", `  TestAgent:\n    timeout: ${patience}\n    output: 64KB\n`)
    .replaceAll(/^ {4}gates: .*\n/gm, "")
    .replace(/^gates:\n(?: .*\n)+/m, "")
    .replaceAll("{ retry: 3, then: person }", "{ retry: 1, then: person }");
}

type OfKind<K extends Event["kind"]> = Extract<Event, { kind: K }>;

export function ofKind<K extends Event["kind"]>(events: readonly Event[], kind: K): OfKind<K>[] {
  return events.filter((event): event is OfKind<K> => event.kind === kind);
}

/** The agents in the order in which they started. */
export function agentOrder(events: readonly Event[]): string[] {
  return ofKind(events, "step-started").map(({ agent }) => agent);
}
