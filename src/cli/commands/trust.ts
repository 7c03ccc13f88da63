import { WORKFLOW_FILE, loadWorkflow } from "../../runtime/operations/load-workflow.ts";
import { isTrusted, trustWorkflow } from "../../runtime/operations/trust-workflow.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "trust",
  summary: "Let the commands of a workflow file run on this machine",
  usage: "[WORKFLOW]",
  details: [
    `WORKFLOW is a file; ${WORKFLOW_FILE} when none is named. Look at its commands first: baton check shows them.`,
    "Trust is bound to the exact content: a changed file has to be trusted again.",
    "It is kept in your own configuration folder, never in the repository.",
  ],
  options: {
    hash: { value: "HASH", about: "Trust only if the file has this hash; nothing is asked." },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: trust,
};

async function trust(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one workflow only.");
  const loaded = loadWorkflow(invocation.operands[0] ?? WORKFLOW_FILE);
  const { path, hash } = loaded;
  const done = (isNew: boolean): number => {
    say(terminal, `${path} is trusted ${isNew ? "now" : "already"} (${hash}).\n`);
    if (invocation.has("json")) terminal.out(printJsonLines({ path, hash, new: isNew }));
    return EXIT.fine;
  };
  if (isTrusted(loaded, terminal.configFolder)) return done(false);
  const wanted = invocation.text("hash");
  if (wanted !== undefined && wanted !== hash)
    throw usage(command, `${path} has the hash ${hash}, not ${wanted}.`, "Look at the file again before you trust it.");
  trustWorkflow(loaded, terminal.configFolder, Date.now());
  return done(true);
}
