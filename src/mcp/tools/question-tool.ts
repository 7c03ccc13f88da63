import { createHash } from "node:crypto";
import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { Inbox } from "../../api/answers.ts";
import { bodyText } from "../../api/route.ts";
import { data } from "../../protocol/shape.ts";
import { answerAsk } from "../../runtime/operations/answer-ask.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { showInbox } from "../../runtime/operations/show-inbox.ts";
import { personThrough } from "../../runtime/request-source.ts";
import { AppError } from "../../shared/app-error.ts";
import { visibleText, cutText } from "../../shared/envelope.ts";
import { isRecord } from "../../shared/json-value.ts";
import { clientOfCall } from "../client-of-call.ts";
import { type McpContext, shownLine, sourceOfCall } from "../context.ts";
import { type McpTool, type ToolAnswer, type ToolCall, defineTool } from "../surface.ts";

type Question = Inbox["asks"][number];

/** The question that was shown, sealed: only an answer to exactly this is taken. */
interface Shown {
  readonly run: string;
  readonly question: string;
  readonly shown: string;
}

const KEY = "answer";
const MAX_DETAILS = 12_000;

/**
 * Shows a question of a run to the person who uses the client. The model names the question and sees the answer; it
 * cannot give it. The log names the client and the session that the answer came through.
 */
export function questionTool(context: McpContext): McpTool {
  return defineTool({
    name: "ask_person",
    title: "Ask the person",
    description:
      "Shows the open question of a run to the person in this client and stores their answer. You cannot answer it yourself. Some questions are answered in a terminal or on the page only; the answer says so.",
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    input: {
      run: bodyText.optional("Id of a run, or the beginning of it; needed when several ask.", 64),
      question: bodyText.optional("Id of the question, such as q1; needed when the run has several.", 20),
    },
    output: data.record({
      run: data.text(),
      question: data.text(),
      answered: data.boolean(),
      /** Null when the person did not answer. */
      choice: data.nullable(data.text()),
      /** Who answered, and through what, as the log has it. */
      by: data.nullable(data.text()),
    }),
    answer: async (wanted, call) => {
      const through = clientOf(call);
      // Refused before anything is shown where a person could not have given the answer.
      const by = personThrough(sourceOfCall(call.context, context), "The answer", through.name);
      if (!through.canAsk) throw cannotAsk(`${through.name} cannot show questions to you.`);
      return context.look(async ({ ports }) => {
        const run = wanted.run === undefined ? undefined : (await findRun(ports, wanted.run)).run;
        const item = choose((await showInbox(ports)).asks, run, wanted.question);
        refuseElsewhere(item);
        const given = answerIn(call, item);
        if (given === null) return askPerson(item, call);
        const { choice, words } = given;
        if (choice === null) return unanswered(item);
        await answerAsk(ports, item.run, { ask: item.ask.id, choice, text: words, by });
        const result = { run: item.run, question: item.ask.id, answered: true, choice, by };
        return { data: result, text: `Answered: ${choice} to ${item.ask.id} of run ${item.run}, by ${by}.` };
      });
    },
  });
}

interface Client {
  /** For the log: what the client calls itself, and its session. */
  readonly name: string;
  readonly canAsk: boolean;
}

/** What a client says of itself, in either era, is shown as such, and proves nothing. */
function clientOf(call: ToolCall): Client {
  const { name: own, version, canAsk } = clientOfCall(call);
  const { sessionId } = call.context;
  const session = sessionId === undefined ? "" : `, session ${sessionId}`;
  const name = own === null ? "an MCP client" : `${own} ${version}`.trim();
  return { name: shownLine(`${name}${session}`, 150), canAsk };
}

function choose(asks: readonly Question[], run: string | undefined, question: string | undefined): Question {
  const fitting = asks.filter(
    (item) =>
      item.answered === null &&
      (run === undefined || item.run === run) &&
      (question === undefined || item.ask.id === question),
  );
  const [only, ...others] = fitting;
  if (only === undefined)
    throw new AppError("no-match", "No such question is open.", "get_run lists the questions of a run.");
  if (others.length === 0) return only;
  const names = fitting.slice(0, 10).map(({ run: of, ask }) => `${of} ${ask.id}`);
  throw new AppError("wrong-usage", `${fitting.length} questions are open.`, `Name one: ${names.join(", ")}.`);
}

function refuseElsewhere({ run, ask, in_client: isAnsweredHere }: Question): void {
  if (!isAnsweredHere) throw cannotAsk(`${ask.id} of run ${run} is not answered in a client.`);
}

function cannotAsk(why: string): AppError {
  return new AppError(
    "conflict",
    `${why} It was not asked here.`,
    "A person answers it in a terminal (`baton status` shows it) or on the page of `baton serve`.",
  );
}

/** Null until the client has come back with the answer to exactly what was shown. */
function answerIn({ context }: ToolCall, item: Question): { choice: string | null; words: string | null } | null {
  const state: unknown = context.mcpReq.requestState();
  const response = inputResponse(context.mcpReq.inputResponses, KEY);
  if (response.kind !== "elicit" || !isShown(state, item)) return null;
  if (response.action !== "accept") return { choice: null, words: null };
  const { choice, words } = response.content ?? {};
  if (typeof choice !== "string" || !item.ask.choices.includes(choice)) return null;
  return { choice, words: typeof words === "string" && words.trim() !== "" ? cutText(words, 4_000) : null };
}

function isShown(state: unknown, item: Question): boolean {
  if (!isRecord(state)) return false;
  const { run, question, shown } = shownOf(item);
  return state["run"] === run && state["question"] === question && state["shown"] === shown;
}

function shownOf(item: Question): Shown {
  const shown = createHash("sha256").update(messageFor(item)).digest("hex");
  return { run: item.run, question: item.ask.id, shown };
}

async function askPerson(item: Question, { codec }: ToolCall): Promise<InputRequiredResult> {
  const { choices, effects } = item.ask;
  const named = choices.map((choice) => ({ const: choice, title: `${choice}: ${effects[choice] ?? choice}` }));
  return inputRequired({
    requestState: await codec.mint(shownOf(item)),
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: messageFor(item),
        requestedSchema: {
          type: "object",
          properties: {
            choice: { type: "string", title: "Your answer", oneOf: named },
            words: {
              type: "string",
              title: "In your words",
              description: "Passed on to the next agent.",
              maxLength: 4_000,
            },
          },
          required: ["choice"],
        },
      }),
    },
  });
}

function messageFor({ run, workflow, ask, concerns }: Question): string {
  const title = `Run ${run} of ${shownLine(workflow, 100)} asks (${ask.id}): ${shownLine(ask.title)}`;
  const details = ask.details.map((line) => `- ${shownLine(line, 1_000)}`);
  const about =
    concerns === null ? [] : [`The ${concerns.what}, as it was written (SHA-256 ${concerns.sha256}):`, concerns.text];
  return cutText(visibleText([title, ...details, ...about].join("\n")), MAX_DETAILS);
}

type Answered = ToolAnswer<{
  run: string;
  question: string;
  answered: boolean;
  choice: string | null;
  by: string | null;
}>;

function unanswered({ run, ask }: Question): Answered {
  const result = { run, question: ask.id, answered: false, choice: null, by: null };
  return { data: result, text: `The person did not answer ${ask.id} of run ${run}; it stays open.` };
}
