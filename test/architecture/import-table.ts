/** What one folder of `src` may import. This table is the only place that says so; `layering.test.ts` enforces it. */
export interface Layer {
  /** Other folders of `src`; its own files are always open to a folder. */
  readonly folders: readonly string[];
  /** Packages of `dependencies`. */
  readonly packages: readonly string[];
  /** Pure: no `node:*`, no clock, no randomness; compiled by `tsconfig.pure.json`. */
  readonly pure: boolean;
}

const decisions = ["evidence", "workflow", "knowledge"];
const belowPorts = ["shared", "protocol", ...decisions, "views"];
const belowRuntime = [...belowPorts, "ports"];
const belowSurfaces = ["shared", "protocol", "api", "runtime"];
const adapters = ["stores", "git", "forges", "agents", "telemetry"];
const everything = [...belowRuntime, "audit", "runtime", "drivers", ...adapters, "api", "http", "mcp", "cli"];

/** Bundled into a chunk that is loaded when somebody listens; nobody installs them. */
const openTelemetry = [
  "@opentelemetry/api",
  "@opentelemetry/exporter-metrics-otlp-http",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/sdk-trace",
];

/** Bundled into a chunk that is loaded with the first request; nobody installs them. */
const mcpSdk = [
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/server/ext/skills",
  "@modelcontextprotocol/server/stdio",
];

/** Bundled into a chunk that is loaded where a workflow has schedules; nobody installs it. */
const cron = "croner";

export const importTable: Readonly<Record<string, Layer>> = {
  shared: { folders: [], packages: [], pure: true },
  protocol: { folders: ["shared"], packages: ["js-yaml", "jsonc-parser", "saxes"], pure: true },
  evidence: { folders: ["shared", "protocol"], packages: ["saxes"], pure: true },
  workflow: { folders: ["shared", "protocol", "evidence"], packages: [cron], pure: true },
  knowledge: { folders: ["shared", "protocol", "evidence"], packages: [], pure: true },
  views: { folders: ["shared", "protocol", ...decisions], packages: [], pure: true },
  api: { folders: belowPorts, packages: [], pure: true },
  ports: { folders: belowPorts, packages: [], pure: false },
  audit: { folders: ["shared", "views", "ports"], packages: [], pure: false },
  runtime: { folders: [...belowRuntime, "audit"], packages: [cron], pure: false },
  // `pg` is an optional peer: `src/stores/postgres/connection.ts` loads it when a database is first asked.
  stores: { folders: [...belowRuntime, "audit"], packages: ["pg"], pure: false },
  git: { folders: belowRuntime, packages: [], pure: false },
  // Git is started in one place, src/git/run-git.ts, so that its hardening cannot differ.
  forges: { folders: [...belowRuntime, "git"], packages: [], pure: false },
  agents: { folders: [...belowRuntime, "git"], packages: [], pure: false },
  telemetry: { folders: belowRuntime, packages: openTelemetry, pure: false },
  // `pg-boss` is an optional peer: the driver for many hosts loads it when it starts.
  drivers: { folders: [...belowRuntime, "runtime"], packages: ["pg-boss"], pure: false },
  cli: { folders: belowSurfaces, packages: [], pure: false },
  http: {
    folders: belowSurfaces,
    packages: ["hono", "@hono/node-server", "@hono/node-server/utils/response"],
    pure: false,
  },
  mcp: { folders: belowSurfaces, packages: mcpSdk, pure: false },
  main: { folders: everything, packages: [], pure: false },
};

/** Files of `src` that stand in no folder: the library takes the pure folders and nothing else, the engine the rest. */
export const entryLayers: Readonly<Record<string, Layer>> = {
  "src/index.ts": { folders: [...belowPorts, "api"], packages: [], pure: true },
  "src/engine.ts": { folders: ["shared", "views", "workflow", "ports", "runtime", "main"], packages: [], pure: false },
};

/** Names that say nothing about what is inside, and so collect everything. */
export const refusedFileNames = ["utils", "util", "helpers", "helper", "lib", "common", "types", "interfaces"];
