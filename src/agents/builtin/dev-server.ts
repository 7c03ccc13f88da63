import { setTimeout as sleep } from "node:timers/promises";
import { recordOr, textOr } from "../../workflow/file/loose-values.ts";
import { BuiltinFailure, type BuiltinJob, type BuiltinTools } from "./builtin-job.ts";
import { commandLine, lastWords } from "./report.ts";
import { commandOption, timeOption } from "./what-is-known.ts";

const WAIT = 30_000;
const PAUSE = 200;
const LONGEST_ANSWER = 5_000;

/** Starts the development server on the leased port, asks it until it answers, and ends it. */
export async function checkServer(job: BuiltinJob, tools: BuiltinTools, port: number): Promise<"verified" | "skipped"> {
  const server = recordOr(job.options["server"]);
  const command = commandOption(server, "command");
  if (command === null) return "skipped";
  const wait = timeOption(server["wait"], WAIT);
  const address = `http://127.0.0.1:${port}${textOr(server["path"], "/")}`;
  const ending = new AbortController();
  tools.tell(`server: ${commandLine(command)} on port ${port}`);
  let isRunning = true;
  const ended = tools
    .run({
      name: "server",
      command,
      directory: job.workspace,
      timeout: wait + LONGEST_ANSWER,
      environment: { PORT: String(port) },
      signal: ending.signal,
    })
    .finally(() => {
      isRunning = false;
    });
  const answered = await untilAnswered(address, wait, () => isRunning);
  const why = isRunning ? "did not answer" : "ended before it answered";
  ending.abort();
  const { message, output } = await ended;
  if (answered) return "verified";
  throw new BuiltinFailure(
    "ServerError",
    `the development server ${why} at ${address} (${message}): ${lastWords(output, 500)}`,
    "See why it does not start, or leave `server` out of the options",
  );
}

/** A server that answers with an error of its own does not work. */
async function untilAnswered(address: string, wait: number, isRunning: () => boolean): Promise<boolean> {
  for (const giveUpAt = Date.now() + wait; isRunning() && Date.now() < giveUpAt; await sleep(PAUSE)) {
    try {
      const signal = AbortSignal.timeout(LONGEST_ANSWER);
      const { status, body } = await fetch(address, { redirect: "manual", signal });
      await body?.cancel();
      if (status < 500) return true;
    } catch {
      continue;
    }
  }
  return false;
}
