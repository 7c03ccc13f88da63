import type { JsonRecord } from "../../shared/json-value.ts";
import type { GateDefinition, Runner, Workflow } from "../../workflow/definition.ts";

/**
 * Every command that a workflow can start, and all settings that affect it, as the operator has to see them before
 * trusting the file. Empty when there are no commands.
 */
export function listCommands(workflow: Workflow): string[] {
  const agents = Object.values(workflow.agents).flatMap(({ name, runner }) => describeRunner(name, runner));
  const gates = Object.values(workflow.gates).flatMap(describeGate);
  return [...agents, ...gates, ...describeForge(workflow.forge), ...describeFormats(workflow.formats)];
}

/** The forge is listed as well, because it receives a token. */
function describeForge(forge: Workflow["forge"]): string[] {
  if (forge === null) return [];
  if (forge.kind === "local") return [`forge: writes issues, pull requests and branches into ${quoted(forge.folder)}`];
  return [
    `forge: changes issues, pull requests and branches of ${quoted(forge.repository)} at ${quoted(forge.api)}`,
    `    sends the value of ${forge.token} from your environment there`,
  ];
}

/** Nothing in a format runs, but it decides which handoffs are accepted and what agents are told. */
function describeFormats(formats: Workflow["formats"] = {}): string[] {
  return Object.entries(formats).map(([name, { files }]) => `format ${name}: ${files.map(quoted).join(", ")}`);
}

/** Gates run in the sandbox; settings that widen it are listed. */
function describeGate({ name, command, limits, place }: GateDefinition): string[] {
  if (command.length === 0) return [];
  return [
    `gate ${name}: ${commandLine(command)}`,
    ...(limits.network ? ["    may use the network"] : []),
    ...(place === "workspace" ? ["    runs in the workspace itself"] : []),
    ...describeEnvironment(limits.environment),
    ...describeInherited(limits.inherit),
  ];
}

function describeInherited(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`    gets from your environment: ${names.join(", ")}`];
}

function describeRunner(name: string, runner: Runner): string[] {
  switch (runner.kind) {
    case "human":
      return [];
    case "function":
      return [`${name}: function ${runner.module}#${runner.name}`];
    case "builtin":
      return [`${name}: built-in ${runner.name}`, ...describeOptions(runner.options)];
    case "process":
      return [
        `${name}: ${commandLine(runner.command)}`,
        ...describeEnvironment(runner.environment),
        ...describeInherited(runner.inherit),
      ];
    case "claude":
    case "codex":
    case "acp":
      return [`${name}: ${commandLine(runner.command)}`, ...describeOptions(runner.options)];
  }
}

function describeEnvironment(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(
    ([name, value]) =>
      `    sets ${name}=${quoted(value)}${CODE_VARIABLES.test(name) ? "  (decides which code is run)" : ""}`,
  );
}

function describeOptions(options: JsonRecord): string[] {
  return Object.entries(options).map(([name, value]) => `    option ${name}: ${JSON.stringify(value)}`);
}

/** Variables that can make a harmless command run something else. */
const CODE_VARIABLES =
  /^(?:PATH|LD_\w+|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|BASH_ENV|ENV|IFS|SHELL|GIT_\w+|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|EDITOR|VISUAL|PAGER)$/i;

/** Quotes arguments so that their boundaries are visible. */
function commandLine(command: readonly string[]): string {
  return command.map(quoted).join(" ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}
