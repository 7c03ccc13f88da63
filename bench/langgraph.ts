import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = join(import.meta.dirname, "../.bench-peers/langgraph");

/**
 * The saver asks for better-sqlite3 12, which aborts Node 24 when it collects its statements; 13 is the same to it.
 * Later versions of the SDK want a core that is not to be had with it, and npm looks for one without end.
 */
const PACKAGE = {
  private: true,
  dependencies: {
    "@langchain/core": "1.2.13",
    "@langchain/langgraph": "1.4.18",
    "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
    "better-sqlite3": "13.0.3",
  },
  overrides: { "better-sqlite3": "$better-sqlite3", "@langchain/langgraph-sdk": "1.12.3" },
};

/** A graph of one node that goes round, each round one checkpoint on the disk. */
export interface PeerGraph {
  /** Runs so many steps, each with a text as its new state. */
  run(thread: string, steps: number, textOf: (step: number) => string): Promise<void>;
  close(): void;
}

interface Saved {
  readonly count: number;
  readonly steps: number;
  readonly text: string;
}

interface Database {
  pragma(text: string, options?: { readonly simple: boolean }): unknown;
  close(): void;
}

/** As much of LangGraph as is used here. */
interface LangGraph {
  readonly START: string;
  readonly END: string;
  readonly Annotation: { (): unknown; Root(fields: Record<string, unknown>): unknown };
  readonly StateGraph: new (state: unknown) => Builder;
}

interface Builder {
  addNode(name: string, node: (state: Saved) => Partial<Saved>): Builder;
  addEdge(from: string, to: string): Builder;
  addConditionalEdges(from: string, choose: (state: Saved) => string): Builder;
  compile(options: { readonly checkpointer: unknown }): Graph;
}

interface Graph {
  invoke(state: Saved, options: Record<string, unknown>): Promise<Saved>;
}

/** LangGraph JS with its SQLite saver, as durable as we are. Null, with a word about it, where it cannot be had. */
export async function openPeerGraph(path: string): Promise<PeerGraph | null> {
  if (!isInstalled() && !install()) {
    console.log("  LangGraph cannot be installed here: the comparison with it is left out");
    return null;
  }
  const { resolve } = createRequire(join(folder, "package.json"));
  const load = (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href);
  const langgraph = (await load("@langchain/langgraph")) as LangGraph;
  const { SqliteSaver } = (await load("@langchain/langgraph-checkpoint-sqlite")) as {
    SqliteSaver: new (database: Database) => unknown;
  };
  const { default: Sqlite } = (await load("better-sqlite3")) as { default: new (path: string) => Database };
  const database = new Sqlite(path);
  makeDurable(database);
  return peerGraph(langgraph, database, new SqliteSaver(database));
}

function makeDurable(database: Database): void {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  const settings = ["journal_mode", "synchronous"].map((name) => database.pragma(name, { simple: true }));
  if (settings.join() !== "wal,2") throw new Error(`LangGraph's database has ${settings.join()}`);
}

function peerGraph(langgraph: LangGraph, database: Database, checkpointer: unknown): PeerGraph {
  const { Annotation, StateGraph, START, END } = langgraph;
  let textOf: (step: number) => string = String;
  const graph = new StateGraph(Annotation.Root({ count: Annotation(), steps: Annotation(), text: Annotation() }))
    .addNode("agent", ({ count }) => ({ count: count + 1, text: textOf(count) }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ count, steps }) => (count < steps ? "agent" : END))
    .compile({ checkpointer });
  return {
    async run(thread, steps, newTextOf) {
      textOf = newTextOf;
      const options = { configurable: { thread_id: thread }, recursionLimit: steps + 10, durability: "sync" };
      const { count } = await graph.invoke({ count: 0, steps, text: "" }, options);
      if (count !== steps) throw new Error(`LangGraph took ${count} steps`);
    },
    close: () => database.close(),
  };
}

function isInstalled(): boolean {
  return Object.entries(PACKAGE.dependencies).every(([name, version]) => {
    try {
      const file = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
      return (JSON.parse(file) as { version: string }).version === version;
    } catch {
      return false;
    }
  });
}

/** No scripts: every one of them comes ready to run. */
function install(): boolean {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(PACKAGE, null, 2));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "ignore", timeout: 120_000 });
  return status === 0 && isInstalled();
}
