import type { Workflow } from "../../workflow/definition.ts";

/** Every command that a workflow can start, as the operator has to see it before trusting the file. */
export function listCommands(workflow: Workflow): string[] {
  const agents = Object.values(workflow.agents).flatMap(({ name, runner }) => {
    switch (runner.kind) {
      case "human":
        return [];
      case "function":
        return [`${name}: function ${runner.module}#${runner.name}`];
      default:
        return [`${name}: ${runner.command.join(" ")}`];
    }
  });
  return [...agents, ...Object.values(workflow.gates).map(({ name, command }) => `gate ${name}: ${command.join(" ")}`)];
}
