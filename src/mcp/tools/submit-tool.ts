import { createHash } from "node:crypto";
import { bodyText } from "../../api/route.ts";
import { data } from "../../protocol/shape.ts";
import type { Engine } from "../../runtime/engine.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { attemptsOf, placeOfAttempt, submitHandoff } from "../../runtime/operations/submit-handoff.ts";
import type { RequestSource } from "../../runtime/request-source.ts";
import { AppError } from "../../shared/app-error.ts";
import { type McpContext, sourceOfCall } from "../context.ts";
import { type McpTool, defineTool } from "../surface.ts";
import { HANDOFF_TEXT, findingsFields, shownFindings, printFindings } from "./handoff-tools.ts";

/** An agent of a run hands in. Which attempt it is for is shown by its process, never by what it says. */
export function submitTool(context: McpContext): McpTool {
  return defineTool({
    name: "submit_handoff",
    title: "Submit your handoff",
    description:
      "Hands in your handoff for the step that you work on, when Baton has started you. It is checked at once; errors are listed and nothing is taken. Handing in again replaces what you handed in before.",
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: {
      text: HANDOFF_TEXT,
      run: bodyText.optional("The run that you believe to work for; another one than yours is refused.", 64),
    },
    output: data.record({
      accepted: data.boolean(),
      run: data.text(),
      attempt: data.text(),
      dialect: data.nullable(data.text()),
      outcome: data.nullable(data.text()),
      /** SHA-256 of the kept text; null when nothing was taken. */
      sha256: data.nullable(data.sha256()),
      ...findingsFields,
    }),
    answer: async ({ text, run: claimed }, { context: request }) => {
      const { run, attempt } = ownAttempt(sourceOfCall(request, context), claimed);
      return context.look(async (engine) => {
        const submission = await submit(engine, run, attempt, text);
        if (submission.is === "accepted") {
          const { dialect, outcome, sha256, warnings } = submission.answer;
          const result = { accepted: true, run, attempt, dialect, outcome, sha256, ...shownFindings(warnings) };
          const said = `Taken for attempt ${attempt} of run ${run}: ${dialect}, ${outcome}. It counts when you end.`;
          return { data: result, text: [said, ...printFindings(result)].join("\n") };
        }
        if (submission.is === "other-text") throw new Error("The key of a submission is made of its text");
        const findings = shownFindings(submission.diagnostics);
        const result = { accepted: false, run, attempt, dialect: null, outcome: null, sha256: null, ...findings };
        const lines = ["Not taken: the handoff has errors. Mend them and submit again.", ...printFindings(findings)];
        return { data: result, text: lines.join("\n"), isError: true };
      });
    },
  });
}

/** What a handoff or an argument claims is compared, and decides nothing. */
function ownAttempt({ attempt, proven }: RequestSource, claimed: string | undefined) {
  if (proven === undefined) {
    const why =
      attempt === null
        ? "This session was not started by a run of Baton, so there is no attempt to hand in for."
        : "The attempt that this process works for cannot be proven: the token that Baton gave to its agent is missing.";
    throw new AppError(
      "conflict",
      `${why} Nothing was taken.`,
      "Check the handoff with validate_handoff, and end your last message with it.",
    );
  }
  if (claimed === undefined || proven.run.startsWith(claimed)) return proven;
  throw new AppError(
    "conflict",
    `You work for attempt ${proven.attempt} of run ${proven.run}: a handoff for another run is not taken from you.`,
    "Leave out `run`, or name your own.",
  );
}

async function submit(engine: Engine, run: string, attempt: string, text: string) {
  const row = await findRun(engine.ports, run);
  const own = (await attemptsOf(engine, row)).find((one) => one.attempt === attempt);
  if (own === undefined)
    throw new AppError("conflict", `Run ${run} has no attempt ${attempt}.`, "The run may have been started again.");
  const key = `mcp:${createHash("sha256").update(text).digest("hex")}`;
  return submitHandoff(engine, { ...(await placeOfAttempt(engine, row, own, key)), text });
}
