import { FORMAT_FILE } from "../../runtime/operations/format-folder.ts";
import { WORKFLOW_FILE, loadWorkflow } from "../../runtime/operations/load-workflow.ts";
import { personOf } from "../../runtime/request-source.ts";
import { readTrusted, readTrustedRuns } from "../../runtime/operations/trust-store.ts";
import {
  type TrustSubject,
  changesSinceTrusted,
  formatSubject,
  isTrusted,
  trustSubject,
  trustWorkflow,
  withdrawTrust,
} from "../../runtime/operations/trust-workflow.ts";
import { AppError } from "../../shared/app-error.ts";
import { count } from "../../shared/count.ts";
import { printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { printChanges } from "../ensure-trusted.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "trust",
  summary: "Trust a workflow or a format in this repository, or withdraw that",
  usage: "[WORKFLOW|FORMAT]",
  details: [
    `WORKFLOW is a file (default ${WORKFLOW_FILE}) or one of pipeline, issue, collective, tasks, feature. Look at it first:`,
    "baton check shows its commands and the files of the repository that they name.",
    "Trust covers the exact content of the workflow and of these files, in this repository. What those files load is not",
    "covered. A change has to be trusted again. It is kept in your own configuration folder, never in the repository.",
    `FORMAT is the file of a format of your own, ${FORMAT_FILE} or NAME.format.yaml: it is trusted with the schema that it`,
    "points to. Then `baton verify` does not count its handoffs as changes. It lets nothing run, and a workflow that you",
    "trust covers the formats of its agents anyway.",
    "With --withdraw, WORKFLOW may also be a hash or a run; runs that it let start do not go on, either.",
    "Exit code: 0 done, 2 wrong usage, or there is nothing to withdraw, 3 the file cannot be read.",
  ],
  options: {
    hash: { value: "HASH", about: "Trust only if it has this hash; nothing is asked." },
    list: { about: "List what you trust, in all repositories." },
    withdraw: { about: "Trust it no longer." },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: trust,
};

async function trust(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { operands, has } = invocation;
  if (operands.length > 1) throw usage(command, "Name one file only.");
  if (has("list") && (has("withdraw") || operands.length > 0)) throw usage(command, "--list stands alone.");
  if (has("list")) return list(invocation, terminal);
  personOf(await terminal.requestSource(), "`baton trust`");
  const name = operands[0] ?? WORKFLOW_FILE;
  return has("withdraw") ? withdraw(name, invocation, terminal) : give(name, invocation, terminal);
}

interface Trusting {
  readonly subject: TrustSubject;
  /** How many schedules start runs of it from now on. */
  readonly schedules: number;
}

/** A format file is known by its name. */
async function subjectOf(name: string, terminal: Terminal): Promise<Trusting> {
  const repositoryInfo = await terminal.repositoryInfo();
  if (/(?:^|[/\\])[^/\\]*\.format\.yaml$/.test(name))
    return { subject: formatSubject(name, repositoryInfo), schedules: 0 };
  const loaded = loadWorkflow(name);
  if (loaded.workflow !== null || loaded.sessions !== null)
    return { subject: trustSubject(loaded, repositoryInfo), schedules: loaded.schedules.length };
  throw new AppError("cannot-read", `${loaded.path} cannot be run.`, `baton check ${name} shows what is wrong.`);
}

async function give(name: string, invocation: Invocation, terminal: Terminal): Promise<number> {
  const { subject, schedules } = await subjectOf(name, terminal);
  const { path, hash, files } = subject;
  const wanted = invocation.text("hash");
  if (wanted !== undefined && wanted !== hash)
    throw usage(command, `${path} has the hash ${hash}, not ${wanted}.`, "Look at it again before you trust it.");
  const isNew = !isTrusted(subject, terminal.configFolder);
  const changes = isNew ? changesSinceTrusted(subject, terminal.configFolder) : null;
  if (isNew) trustWorkflow(subject, terminal.configFolder);
  if (changes !== null) terminal.note(printChanges(changes));
  const covered = files.length === 0 ? "" : `, with ${count(files.length, "file")} that it names`;
  say(terminal, `${printable(path)} is trusted ${isNew ? "now" : "already"}${covered} (${hash}).\n`);
  if (schedules > 0) say(terminal, `Its ${count(schedules, "schedule")} may start runs while \`baton serve\` runs.\n`);
  const names = files.map((file) => file.path);
  if (invocation.has("json")) terminal.out(printJsonLines({ path, hash, new: isNew, files: names }));
  return EXIT.fine;
}

function list(invocation: Invocation, terminal: Terminal): number {
  const entries = readTrusted(terminal.configFolder);
  const runs = readTrustedRuns(terminal.configFolder);
  if (invocation.has("json")) {
    const trusted = entries.map(({ repository, workflow, hash, at, files }) => {
      return { repository, workflow, hash, at, files: files.map(({ path }) => path) };
    });
    terminal.out(printJsonLines({ trusted, runs: runs.map(({ run, hash }) => ({ run, hash })) }));
    return EXIT.fine;
  }
  for (const { repository, workflow, hash, at, files } of entries) {
    const lines = [`${workflow} in ${repository}`, `  ${hash}, since ${at}`, ...files.map(({ path }) => `  ${path}`)];
    terminal.out(`${lines.map(printable).join("\n")}\n`);
  }
  if (runs.length > 0) terminal.out(`${printable(`runs: ${runs.map(({ run }) => run).join(" ")}`)}\n`);
  if (entries.length === 0 && runs.length === 0) say(terminal, "Nothing is trusted.\n");
  return EXIT.fine;
}

async function withdraw(name: string, invocation: Invocation, terminal: Terminal): Promise<number> {
  const { entries, runs } = withdrawTrust(name, await terminal.repositoryInfo(), terminal.configFolder);
  if (entries.length === 0 && runs.length === 0)
    throw usage(command, `${name} is not trusted here.`, "baton trust --list shows what is.");
  const started = runs.length === 0 ? "" : `, nor ${count(runs.length, "run")} that it let start`;
  say(terminal, `${printable(name)} is trusted no longer${started}.\n`);
  if (invocation.has("json"))
    terminal.out(printJsonLines({ withdrawn: entries.map(({ hash }) => hash), runs: runs.map(({ run }) => run) }));
  return EXIT.fine;
}
