import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "../cli/run-baton.ts";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface ActionRun {
  /** Of the step that failed; 0 when none did. */
  readonly code: number;
  /** The step that failed. */
  readonly failed: string | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

export const action = parse(readFileSync(join(projectRoot, "action.yml"), "utf8")) as Action;

/**
 * Runs the steps as GitHub's runner does: expressions are filled in, each script is a file for its shell, a failed
 * step ends the job, and outputs, path and summary go through files.
 */
export function runAction(
  workspace: string,
  room: string,
  inputs: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): ActionRun {
  const folder = mkdtempSync(join(room, "runner-"));
  const files = { path: join(folder, "path"), summary: join(folder, "summary") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const given = Object.fromEntries(Object.entries(action.inputs).map(([name, { default: text = "" }]) => [name, text]));
  const job: Job = { inputs: { ...given, ...inputs }, outputs: new Map(), log: "" };
  for (const [index, step] of action.runs.steps.entries()) {
    const output = join(folder, `output-${index}`);
    writeFileSync(output, "");
    const script = join(folder, `step-${index}.sh`);
    writeFileSync(script, fill(step.run, job));
    const added = readFileSync(files.path, "utf8").trim().split("\n").filter(Boolean).reverse();
    const { FORCE_COLOR: _force, GITHUB_BASE_REF: _base, ...own } = process.env;
    const done = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: workspace,
      encoding: "utf8",
      env: {
        ...own,
        PATH: [...added, process.env["PATH"] ?? ""].join(delimiter),
        GITHUB_ACTIONS: "true",
        GITHUB_WORKSPACE: workspace,
        GITHUB_OUTPUT: output,
        GITHUB_PATH: files.path,
        GITHUB_STEP_SUMMARY: files.summary,
        RUNNER_TEMP: folder,
        ...environment,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, job)])),
      },
    });
    job.log += `${done.stdout}${done.stderr}`;
    if (step.id !== undefined) job.outputs.set(step.id, readOutputs(output));
    if (done.status !== 0) return finish(job, files.summary, done.status ?? 1, step.name);
  }
  return finish(job, files.summary, 0, null);
}

interface Job {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Map<string, Readonly<Record<string, string>>>;
  log: string;
}

function finish(job: Job, summary: string, code: number, failed: string | null): ActionRun {
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value, job)] as const);
  return { code, failed, log: job.log, summary: readFileSync(summary, "utf8"), outputs: Object.fromEntries(outputs) };
}

/** Of the language of expressions only what the action uses; anything else is a mistake in it. */
function fill(text: string, { inputs, outputs }: Job): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    const input = /^inputs\.([\w-]+)$/.exec(expression)?.[1];
    if (input !== undefined && input in action.inputs) return inputs[input] ?? "";
    const [, step = "", name = ""] = /^steps\.([\w-]+)\.outputs\.([\w-]+)$/.exec(expression) ?? [];
    if (step !== "") return outputs.get(step)?.[name] ?? "";
    throw new Error(`the test knows no expression ${expression}`);
  });
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
