/** What one folder of `src` may import. `.oxlintrc.json` says the same to the editor; a test holds them together. */
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

export const importTable: Readonly<Record<string, Layer>> = {
  shared: { folders: [], packages: [], pure: true },
  protocol: { folders: ["shared"], packages: ["js-yaml", "jsonc-parser", "saxes"], pure: true },
  evidence: { folders: ["shared", "protocol"], packages: ["saxes"], pure: true },
  workflow: { folders: ["shared", "protocol", "evidence"], packages: [], pure: true },
  knowledge: { folders: ["shared", "protocol", "evidence"], packages: [], pure: true },
  views: { folders: ["shared", "protocol", ...decisions], packages: [], pure: true },
  api: { folders: belowPorts, packages: [], pure: true },
  ports: { folders: belowPorts, packages: [], pure: false },
  audit: { folders: ["shared", "ports"], packages: [], pure: false },
  runtime: { folders: [...belowRuntime, "audit"], packages: [], pure: false },
  stores: { folders: [...belowRuntime, "audit"], packages: [], pure: false },
  git: { folders: belowRuntime, packages: [], pure: false },
  forges: { folders: belowRuntime, packages: [], pure: false },
  agents: { folders: belowRuntime, packages: [], pure: false },
  telemetry: { folders: belowRuntime, packages: openTelemetry, pure: false },
  drivers: { folders: [...belowRuntime, "runtime"], packages: [], pure: false },
  cli: { folders: belowSurfaces, packages: [], pure: false },
  http: {
    folders: belowSurfaces,
    packages: ["hono", "@hono/node-server", "@hono/node-server/utils/response"],
    pure: false,
  },
  mcp: { folders: belowSurfaces, packages: [], pure: false },
  main: { folders: everything, packages: [], pure: false },
};

/** `src/index.ts`, the library: the pure folders and nothing else. */
export const libraryLayer: Layer = { folders: [...belowPorts, "api"], packages: [], pure: true };

/** Names that say nothing about what is inside, and so collect everything. */
export const refusedFileNames = ["utils", "util", "helpers", "helper", "lib", "common", "types", "interfaces"];
