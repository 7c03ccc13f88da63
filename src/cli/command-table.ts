import type { Command } from "./command.ts";

/** Every command, loaded only when it is called: the command line starts fast. */
export const COMMANDS = {
  validate: () => import("./commands/validate.ts"),
  verify: () => import("./commands/verify.ts"),
  read: () => import("./commands/read.ts"),
  fix: () => import("./commands/fix.ts"),
  convert: () => import("./commands/convert.ts"),
  migrate: () => import("./commands/migrate.ts"),
  explain: () => import("./commands/explain.ts"),
  schema: () => import("./commands/schema.ts"),
  instructions: () => import("./commands/instructions.ts"),
  format: () => import("./commands/format.ts"),
  init: () => import("./commands/init.ts"),
  check: () => import("./commands/check.ts"),
  trust: () => import("./commands/trust.ts"),
  run: () => import("./commands/run.ts"),
  hook: () => import("./commands/hook.ts"),
  status: () => import("./commands/status.ts"),
  watch: () => import("./commands/watch.ts"),
  serve: () => import("./commands/serve.ts"),
  worker: () => import("./commands/worker.ts"),
  mcp: () => import("./commands/mcp.ts"),
  log: () => import("./commands/log.ts"),
  report: () => import("./commands/report.ts"),
  knowledge: () => import("./commands/knowledge.ts"),
  journal: () => import("./commands/journal.ts"),
  context: () => import("./commands/context.ts"),
  approve: () => import("./commands/answer.ts").then(({ approve }) => ({ command: approve })),
  reject: () => import("./commands/answer.ts").then(({ reject }) => ({ command: reject })),
  answer: () => import("./commands/answer.ts"),
  resume: () => import("./commands/resume.ts"),
  retry: () => import("./commands/retry.ts"),
  budget: () => import("./commands/budget.ts"),
  cancel: () => import("./commands/cancel.ts"),
  replay: () => import("./commands/replay.ts"),
  audit: () => import("./commands/audit.ts"),
  doctor: () => import("./commands/doctor.ts"),
  state: () => import("./commands/state.ts"),
  backup: () => import("./commands/backup.ts"),
  prune: () => import("./commands/prune.ts"),
  completion: () => import("./commands/completion.ts"),
} as const satisfies Readonly<Record<string, () => Promise<{ command: Command }>>>;

export type CommandName = keyof typeof COMMANDS;

export async function loadCommands(): Promise<Command[]> {
  const modules = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return modules.map((module) => module.command);
}
