import type { RunJson, Seen } from "./drive-play.ts";
import type { Turn } from "./read-play.ts";
import { isTask } from "./scripted-agent.ts";

/** What a run has to decide. */
export interface Expected {
  /** `completed`, `waiting`, `failed`, or `refused` when nothing may be started. */
  readonly end: string;
  readonly exit: number;
  /** 0 when nothing may be started. */
  readonly rounds: number;
  /** Agents of which one was started last; empty when that follows from the turns. */
  readonly last: readonly string[];
  /** Words of `QUESTIONS`, of which one fits. */
  readonly question: readonly string[];
  /** `open 1`, `waived lint`, `refuted 1`, `unknown`. */
  readonly stands: readonly string[];
  /** `refused`, `not refused`, or nothing: whether the log has a request that was refused. */
  readonly log: string;
  readonly turns: readonly Turn[];
}

/** How questions are put: what their title and details must speak of. */
const QUESTIONS: Readonly<Record<string, RegExp>> = {
  limit: /limit|rounds|in its round/i,
  unusable: /no usable handoff/i,
  stuck: /again|nowhere|progress|fewer|converge/i,
  "refused loop": /loop/i,
  unknown: /unknown|not known|coverage/i,
  retries: /tries|retr|again|times|attempts|no usable handoff/i,
  gate: /gate|require/i,
  approval: /approve|accept|agree/i,
  blocked: /block/i,
  failed: /fail|error|unusable|missing|sent back|crash|exit/i,
  choose: /choose|request|next|route/i,
};

/** What differs from what was expected, a line each; nothing when all of it came true. */
export function compareRun(expected: Expected, seen: Seen): string[] {
  if (expected.end === "refused") return compareRefusal(expected, seen);
  const { run } = seen;
  if (run === null) return [`there is no run: exit code ${seen.code}, ${seen.printed.trim().split("\n").at(-1)}`];
  return [
    ...differs("end", expected.end, run.status),
    ...differs("exit code", expected.exit, seen.code),
    ...differs("rounds", expected.rounds, run.iteration),
    ...compareTurns(expected.turns, seen),
    ...compareLast(expected.last, run),
    ...compareQuestion(expected, run),
    ...unseen(seen),
    ...compareStanding(expected, seen, run),
    ...compareLog(expected.log, seen, run),
    ...(seen.replayed === null ? [] : [`replay: ${seen.replayed.split("\n")[0]}`]),
  ];
}

function differs(what: string, expected: unknown, found: unknown): string[] {
  return expected === found ? [] : [`${what}: expected ${String(expected)}, found ${String(found)}`];
}

function compareRefusal({ exit }: Expected, seen: Seen): string[] {
  const started = seen.started.length === 0 ? [] : [`${seen.started.length} agents were started`];
  return [...differs("exit code", exit, seen.code), ...started];
}

/** Every agent in its order; where tasks go at once, in the order of each task. */
function compareTurns(turns: readonly Turn[], { started }: Seen): string[] {
  const agents = turns.filter(({ agent }) => agent !== "person");
  const tasks = [...new Set(agents.map(({ task }) => task))];
  const found = tasks.flatMap((task) => {
    const mine = started.filter((start) => task === null || isTask(task, start.task)).map(({ agent }) => agent);
    return compareOrder(
      task ?? "order",
      agents.filter((turn) => turn.task === task),
      mine,
    );
  });
  const strangers = started.filter((start) => !tasks.some((task) => task === null || isTask(task, start.task)));
  const others = strangers.map(({ task, agent }) => `${task}: ${agent} was started, and no turn says so`);
  return [
    ...found,
    ...others,
    ...compareFirsts(
      tasks,
      started.map(({ task }) => task),
    ),
  ];
}

function compareOrder(what: string, turns: readonly Turn[], started: readonly string[]): string[] {
  const first = turns.findIndex(({ repeats }) => repeats);
  const names = turns.map(({ agent }) => agent);
  if (first === -1) return differs(what, names.join(" "), started.join(" "));
  const head = differs(what, names.slice(0, first).join(" "), started.slice(0, first).join(" "));
  const others = started.slice(first).filter((agent) => !names.slice(first).includes(agent));
  return [...head, ...others.map((agent) => `${what}: ${agent} was started among those that repeat`)];
}

/** Tasks that begin two places apart or more keep their order; neighbours may begin at once. */
function compareFirsts(expected: readonly (string | null)[], started: readonly string[]): string[] {
  const order = [...new Set(started)];
  const place = (task: string | null): number => order.findIndex((one) => task !== null && isTask(task, one));
  const found = expected.map(place).filter((at) => at !== -1);
  const isWrong = found.some((at, index) => found.slice(index + 2).some((later) => later < at));
  return isWrong ? [`order of tasks: expected ${expected.join(" ")}, found ${order.join(" ")}`] : [];
}

function compareLast(last: readonly string[], run: RunJson): string[] {
  if (last.length === 0) return [];
  const agents = run["agents"] as readonly { readonly name: string; readonly status: string }[];
  const worked = agents.filter(({ status }) => status !== "waiting").map(({ name }) => name);
  return last.some((name) => worked.includes(name)) ? [] : [`last: none of ${last.join(", ")} has worked`];
}

function compareQuestion({ end, question }: Expected, { asks }: RunJson): string[] {
  if (end !== "waiting") return [];
  const [ask] = asks;
  if (ask === undefined) return ["question: none was asked"];
  const words = `${ask.kind} ${ask.title} ${JSON.stringify(ask["details"])}`;
  const fits = question.length === 0 || question.some((word) => QUESTIONS[word]?.test(words));
  return fits ? [] : [`question: expected ${question.join(" or ")}, found ${words}`];
}

function unseen({ started }: Seen): string[] {
  return started.flatMap(({ agent, unseen: texts }) => texts.map((text) => `${agent} was not told "${text}"`));
}

/** Whatever an agent did to the work tree: the run can still be looked at. */
function compareLog(wanted: string, { log, told }: Seen, { run }: RunJson): string[] {
  if (!told.includes(run) || log === "") return ["the log of the run is gone"];
  if (wanted === "" || log === null) return [];
  return differs("log", wanted, / wished /.test(log) ? "refused" : "not refused");
}

/** What stands at the end stands in the status for people, in the JSON and, once it has ended, in the last line. */
function compareStanding({ stands, end }: Expected, { told, printed }: Seen, run: RunJson): string[] {
  const words = ["open", "waived", "refuted", "unknown"] as const;
  const closing = printed.trim().split("\n").slice(-4).join("\n");
  return words.flatMap((word) => {
    const [, wanted] = stands.find((one) => one.split(" ")[0] === word)?.split(" ") ?? [];
    const isWanted = stands.some((one) => one.split(" ")[0] === word);
    const places: readonly (readonly [string, boolean])[] = [
      // An open issue that does not block may be told, too.
      ...(word === "open" && !isWanted ? [] : [["status", STANDING[word].test(told)] as const]),
      ...(end === "completed" && isWanted ? [["the last line", STANDING[word].test(closing)] as const] : []),
    ];
    const wrong = places.filter(([, isThere]) => isThere !== isWanted).map(([place]) => place);
    const missing = wrong.map((place) =>
      `${place} ${isWanted ? "does not tell" : "tells"} ${word} ${wanted ?? ""}`.trim(),
    );
    return [...missing, ...compareCount(word, wanted, run)];
  });
}

const STANDING = {
  open: /[1-9]\d* (?:blocking issues?|issues?|open)\b.*|[1-9]\d* open/,
  waived: /waived/,
  refuted: /refuted/,
  unknown: /not known whether|unknown(?: whether|:| conditions?\b| values?\b)|[1-9]\d* unknown|conditions? on unknown/,
} as const;

/** Open issues that block are counted from the issues themselves; one without a severity blocks. */
function compareCount(word: string, wanted: string | undefined, run: RunJson): string[] {
  if (word !== "open") return [];
  const issues = run["issues"] as readonly { readonly status: string; readonly severity?: string }[];
  const blocking = issues.filter(
    ({ status, severity }) => status === "open" && ["critical", "high", "important", ""].includes(severity ?? ""),
  );
  return differs("open blocking issues", Number(wanted ?? 0), blocking.length);
}
