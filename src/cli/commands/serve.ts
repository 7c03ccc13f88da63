import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, wholeNumber } from "../shared-options.ts";
import type { ServedPage, Terminal } from "../terminal.ts";

export const command: Command = {
  name: "serve",
  summary: "Show the runs in the browser, and drive those that can continue",
  usage: "",
  details: [
    "While it runs, schedules of trusted workflows start runs at their times; `baton status` lists them.",
    "Prints a link with a token; only this machine can reach it. Ctrl-C stops it; nothing is lost.",
    "The token is kept in the state folder, or taken from BATON_TOKEN.",
    "If another process already serves this state, its link is printed; --port or --webhook start another server.",
  ],
  options: {
    port: {
      value: "N",
      about: "Port to listen on (default 4500, or a free one if it is taken); 0 takes any free port.",
    },
    demo: { about: "Show example runs in a temporary folder, some of them active." },
    open: { about: "Open the link in the browser." },
    "no-drive": {
      about: "Only show runs: those that could continue wait for `baton resume`, and schedules start none.",
    },
    webhook: {
      value: "URL",
      about: "Send signed notifications there: questions, stalls, ends and notices. Separate several by commas.",
    },
    json: { about: "Print the address as JSON." },
    ...HELP_OPTION,
  },
  run: serve,
};

async function serve(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "This command takes no arguments.");
  const port = wholeNumber(command, invocation, "port") ?? null;
  if (port !== null && port > 65_535) throw usage(command, `--port is at most 65535; found ${port}.`);
  const isDemo = invocation.has("demo");
  const interruption = terminal.interruption();
  const engine = isDemo ? await terminal.openDemo() : await terminal.openEngine();
  try {
    const served = await terminal.openServer(engine, {
      port,
      isDemo,
      // A server that is there does not know of webhooks that are named now.
      mayJoin: port === null && !invocation.has("webhook"),
      drives: !invocation.has("no-drive"),
      webhooks: invocation.texts("webhook").flatMap((text) => text.split(",")),
    });
    if (!served.joined) terminal.outliveReaders();
    printServer(served, invocation, terminal);
    if (served.joined) return EXIT.fine;
    await aborted(interruption);
    await served.stop();
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function printServer(served: ServedPage, invocation: Invocation, terminal: Terminal): void {
  const { link, port } = served;
  if (invocation.has("json")) terminal.out(`${JSON.stringify({ link, port })}\n`);
  else terminal.out(`${link}\n`);
  if (served.joined) say(terminal, `${joinedNote(link)}\n`);
  else if (!invocation.has("json"))
    say(terminal, "Open this link. Anyone who has it can do what you can do here. Ctrl-C stops the server.\n");
  if (invocation.has("open")) terminal.openBrowser(link);
}

function joinedNote(link: string): string {
  const token = link.includes("?token=") ? "" : " Its token is another one: use the link that it printed.";
  return `Another process serves this state already; nothing was started.${token} \`baton serve --port 0\` starts one more.`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
