import { createHash } from "node:crypto";
import { bodyText } from "../../api/route.ts";
import { data } from "../../protocol/shape.ts";
import type { Engine } from "../../runtime/engine.ts";
import { HOOK_CLIENTS } from "../../runtime/hooks/hook-call.ts";
import { type SessionName, submitInSession } from "../../runtime/hooks/submit-in-session.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { attemptsOf, placeOfAttempt, submitHandoff } from "../../runtime/operations/submit-handoff.ts";
import type { RequestSource } from "../../runtime/request-source.ts";
import { AppError } from "../../shared/app-error.ts";
import { type McpContext, shownLine, sourceOfCall } from "../context.ts";
import { sessionOfCall } from "../session-of-call.ts";
import { type McpTool, type ToolAnswer, defineTool } from "../surface.ts";
import { HANDOFF_TEXT, findingsFields, shownFindings, printFindings } from "./handoff-tools.ts";

const submittedShape = data.record({
  accepted: data.boolean(),
  run: data.text(),
  /** Null in a session of which the beginning of the agent was not heard. */
  attempt: data.nullable(data.text()),
  dialect: data.nullable(data.text()),
  outcome: data.nullable(data.text()),
  /** SHA-256 of the kept text; null when nothing was taken, and in a session, where it is kept when the agent stops. */
  sha256: data.nullable(data.sha256()),
  /** What is wrong with the handoff of an agent of a session. */
  problems: data.list(data.record({ message: data.text(), hint: data.nullable(data.text()) })),
  ...findingsFields,
});

interface Submitted {
  readonly accepted: boolean;
  readonly run: string;
  readonly attempt: string | null;
  readonly dialect: string | null;
  readonly outcome: string | null;
  readonly sha256: string | null;
  readonly problems: readonly { readonly message: string; readonly hint: string | null }[];
  readonly diagnostics: ReturnType<typeof shownFindings>["diagnostics"];
  readonly more_diagnostics: number;
}

/** An agent hands in: of a run, shown by its process, or of a session, told by its client. What it says is compared. */
export function submitTool(context: McpContext): McpTool {
  return defineTool({
    name: "submit_handoff",
    title: "Submit your handoff",
    description:
      "Hands in your handoff, when Baton has started you, or watches the session of your client and you owe one there. It is checked at once; what is wrong is listed and nothing is taken. It counts when you stop. Handing in again replaces what you handed in before.",
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: {
      text: HANDOFF_TEXT,
      run: bodyText.optional("The run that you believe to work for; another one than yours is refused.", 64),
      agent: bodyText.optional(
        "In a session of a client where several agents are at work: the type that you are, `main` for the main agent.",
        100,
      ),
      client: bodyText.optional(
        `The client of your session, where it does not tell it: ${HOOK_CLIENTS.join(", ")}.`,
        40,
      ),
      session: bodyText.optional("The id of your session, together with `client`.", 200),
    },
    output: submittedShape,
    answer: async ({ text, run: claimed, agent, ...named }, call) => {
      const source = sourceOfCall(call.context, context);
      const session = isOfRun(source) ? null : sessionOfCall(call, context, named);
      if (session !== null)
        return context.look((engine) => inSession(engine, context, { session, text, claimed, agent }));
      const { run, attempt } = ownAttempt(source, claimed);
      return context.look((engine) => inRun(engine, { run, attempt, text }));
    },
  });
}

/** One that Baton has started, or that something shows to be started by it. */
function isOfRun({ attempt, proven }: RequestSource): boolean {
  return attempt !== null || proven !== undefined;
}

const NOTHING_FOUND = { problems: [], ...shownFindings([]) };

async function inRun(
  engine: Engine,
  { run, attempt, text }: { run: string; attempt: string; text: string },
): Promise<ToolAnswer<Submitted>> {
  const submission = await submit(engine, run, attempt, text);
  if (submission.is === "accepted") {
    const { dialect, outcome, sha256, warnings } = submission.answer;
    const findings = { ...NOTHING_FOUND, ...shownFindings(warnings) };
    const result = { accepted: true, run, attempt, dialect, outcome, sha256, ...findings };
    const said = `Taken for attempt ${attempt} of run ${run}: ${dialect}, ${outcome}. It counts when you end.`;
    return { data: result, text: [said, ...printFindings(result)].join("\n") };
  }
  if (submission.is === "other-text") throw new Error("The key of a submission is made of its text");
  const findings = { ...NOTHING_FOUND, ...shownFindings(submission.diagnostics) };
  const lines = ["Not taken: the handoff has errors. Mend them and submit again.", ...printFindings(findings)];
  return { data: { run, attempt, ...REFUSED, ...findings }, text: lines.join("\n"), isError: true };
}

const REFUSED = { accepted: false, dialect: null, outcome: null, sha256: null } as const;

interface SessionCall {
  readonly session: SessionName;
  readonly text: string;
  readonly claimed: string | undefined;
  readonly agent: string | undefined;
}

async function inSession(
  engine: Engine,
  context: McpContext,
  { session, text, claimed, agent }: SessionCall,
): Promise<ToolAnswer<Submitted>> {
  const { root, mark } = context.repositoryInfo();
  const { configFolder } = context;
  const submitting = { root, mark: () => mark, configFolder, in: session, agent, claimed, text };
  const submitted = await submitInSession(engine, submitting);
  const { run, agent: name, attempt } = submitted.place;
  const where = `${shownLine(name, 100)} in session ${shownLine(session.session, 100)} (run ${run})`;
  if (submitted.is === "taken") {
    const { dialect, outcome } = submitted;
    const said = `Taken for ${where}: ${dialect}, ${outcome}. It is checked once more and counts when you stop; your last message needs no handoff.`;
    return { data: { accepted: true, run, attempt, dialect, outcome, sha256: null, ...NOTHING_FOUND }, text: said };
  }
  const problems = submitted.problems.map(({ message, hint }) => ({
    message: shownLine(message, 2_000),
    hint: hint === null ? null : shownLine(hint, 2_000),
  }));
  const lines = problems.map(({ message, hint }) => `- ${message}${hint === null ? "" : ` ${hint}`}`);
  return {
    data: { run, attempt, ...REFUSED, ...NOTHING_FOUND, problems },
    text: [`Not taken for ${where}. Mend this and submit again:`, ...lines].join("\n"),
    isError: true,
  };
}

/** What a handoff or an argument claims is compared, and decides nothing. */
function ownAttempt({ attempt, proven }: RequestSource, claimed: string | undefined) {
  if (proven === undefined) {
    const why =
      attempt === null
        ? "This session was not started by a run of Baton, and your client does not tell which session it is, so there is nothing to hand in for."
        : "The attempt that this process works for cannot be proven: the token that Baton gave to its agent is missing.";
    const hint = "Check the handoff with validate_handoff, and end your last message with it.";
    const also = attempt === null ? " Or name `client` and `session`, if you were told them." : "";
    throw new AppError("conflict", `${why} Nothing was taken.`, `${hint}${also}`);
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
