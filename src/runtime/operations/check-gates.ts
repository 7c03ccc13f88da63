import type { GateMachine } from "../../ports/command-runner.ts";
import { compareDiagnostics } from "../../protocol/diagnostic.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { clipText, type FileFinding } from "../../protocol/file-problems.ts";
import { placeFindings } from "../../workflow/file/read-workflow.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";

/** The machine that a command line runs on. */
export type LocalGateMachine = GateMachine;

/** Adds warnings about gates whose programs will not work in the sandbox of this machine, with what to do. */
export function checkGates<Loaded extends LoadedWorkflow>(loaded: Loaded, machine: LocalGateMachine): Loaded {
  const findings = loaded.workflow === null ? [] : findObstacles(loaded.workflow, machine);
  if (findings.length === 0) return loaded;
  const diagnostics = [...loaded.diagnostics, ...placeFindings(loaded.text, findings)].sort(compareDiagnostics);
  return { ...loaded, diagnostics };
}

/** What keeps gates of this workflow from working here; programs that it cannot know, such as those of scripts, are left out. */
function findObstacles(workflow: Workflow, machine: LocalGateMachine): FileFinding[] {
  return Object.values(workflow.gates)
    .filter(({ command, limits }) => command.length > 0 && !Object.hasOwn(limits.environment, "PATH"))
    .flatMap(({ name, command, limits }) =>
      machine.obstacles({ command, inherit: limits.inherit }).map(({ says, hint }): FileFinding => ({
        code: "missing-program",
        severity: "warning",
        path: ["gates", name, "command", 0],
        message: `\`${clipText(command[0] ?? "")}\`, which gate ${name} runs, ${says}.`,
        hint,
      })),
    );
}
