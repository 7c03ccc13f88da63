import { HOOK_CLIENTS } from "../../runtime/hooks/hook-call.ts";
import { runHook } from "../../runtime/hooks/run-hook.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "hook",
  summary: "Answer a hook of an agent's own client: check the handoff of an agent that stops",
  usage: "EVENT --client CLIENT",
  details: [
    "Clients call it: the plugin of baton names it in their settings. EVENT is the client's own name, such as Stop,",
    "SubagentStop, SessionStart or AfterAgent; the client writes its input to standard input.",
    "Which agents owe a handoff is said by `sessions` in baton.yaml, once you trust it; others are never held up.",
    "The answer is JSON. Whatever happens, the exit code is 0 and the answer is valid: the work of a user goes on.",
  ],
  options: {
    client: { value: "CLIENT", offered: HOOK_CLIENTS, about: `One of ${HOOK_CLIENTS.join(", ")}.` },
    ...HELP_OPTION,
  },
  onWrongUsage: (error, terminal) => answerNothing(error.message, terminal),
  run: hook,
};

/** Larger than any last message that is read. */
const MAX_INPUT = 16 * 1_048_576;

async function hook({ operands, text }: Invocation, terminal: Terminal): Promise<number> {
  const [event] = operands;
  const client = HOOK_CLIENTS.find((known) => known === text("client"));
  if (event === undefined || client === undefined) {
    const problem = event === undefined ? "no event was named" : `there is no client ${text("client") ?? ""}`;
    return answerNothing(problem, terminal);
  }
  try {
    const machine = await terminal.hookMachine();
    terminal.out(`${JSON.stringify(await runHook(machine, { client, event, input: readInput(terminal) }))}\n`);
    machine.end();
    return EXIT.fine;
  } catch (error) {
    return answerNothing(plainReason(error), terminal);
  }
}

function readInput(terminal: Terminal): string {
  const bytes = terminal.stdin(MAX_INPUT);
  return bytes.length > MAX_INPUT ? "" : Buffer.from(bytes).toString("utf8");
}

/** A client takes another exit code for a block, and an answer that is no JSON for an error. */
function answerNothing(problem: string, terminal: Terminal): number {
  terminal.note(`baton hook: ${problem}\n`);
  terminal.out("{}\n");
  return EXIT.fine;
}
