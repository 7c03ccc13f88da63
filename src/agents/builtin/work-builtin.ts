import { ForgeError } from "../../ports/forge.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import { writeHandoff } from "../../protocol/write-handoff.ts";
import type { BuiltinName } from "../../workflow/definition.ts";
import { BuiltinFailure, type BuiltinJob, type BuiltinTools } from "./builtin-job.ts";
import { close } from "./closer.ts";
import { prepare } from "./prep.ts";
import type { Report } from "./report.ts";
import { validate } from "./validator.ts";

const WORK: Readonly<Record<BuiltinName, (job: BuiltinJob, tools: BuiltinTools) => Promise<Report>>> = {
  prep: prepare,
  validator: validate,
  closer: close,
};

/** Does the work of an agent that comes along, and gives its handoff. Throws what trying again may help with. */
export async function workBuiltin(job: BuiltinJob, open: () => Promise<BuiltinTools>): Promise<string> {
  const report = await open()
    .then((tools) => WORK[job.name](job, tools))
    .catch((error: unknown) => failureOf(error, job));
  const at = new Date().toISOString();
  const handoff: Handoff = { ...report, dialect: "issue-xml", from: job.agent, at };
  const { text } = writeHandoff(handoff, "issue-xml");
  const { valid, diagnostics } = readHandoffs(text, {});
  if (valid) return text;
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  throw new Error(`the handoff of ${job.name} is wrong, which is a fault of baton: ${errors.join(" ")}`);
}

function failureOf(error: unknown, { situation }: BuiltinJob): Report {
  if (error instanceof ForgeError && error.isPassing) throw error;
  if (!(error instanceof BuiltinFailure) && !(error instanceof ForgeError)) throw error;
  const { message } = error;
  const isOurs = error instanceof BuiltinFailure;
  const number = situation.known["issue.number"];
  return {
    to: "orchestrator",
    outcome: "failed",
    status: "failure",
    summary: message.replaceAll(/\s+/g, " ").slice(0, 300),
    ...(number !== undefined && { issue: { number } }),
    error: {
      type: isOurs ? error.kind : "ForgeError",
      message,
      details: "",
      recoverable: false,
      suggested_action: isOurs ? error.advice : "See what the forge says, mend it, and retry the run",
    },
  };
}
