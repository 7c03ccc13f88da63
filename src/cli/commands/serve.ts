import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, wholeNumber } from "../shared-options.ts";
import type { ServedPage, Terminal } from "../terminal.ts";

export const command: Command = {
  name: "serve",
  summary: "Show the runs on a page in the browser, and drive those that have something to do",
  usage: "",
  details: [
    "Prints a link with a token; only this machine can reach it. Ctrl-C ends it, and loses nothing.",
    "The token is kept in the state folder, or taken from BATON_TOKEN.",
    "Where another process serves this state already, its link is printed; --port or --webhook start one more.",
  ],
  options: {
    port: {
      value: "N",
      about: "Where it listens (default 4500, or any where that is taken); 0 takes any that is free.",
    },
    demo: { about: "Show example runs in a folder of their own, some of them at work." },
    open: { about: "Open the link in the browser." },
    "no-drive": { about: "Only show: runs that are answered or resumed wait for baton resume." },
    webhook: {
      value: "URL",
      about: "Send signed news there: questions, stalls, ends and notices. Several with commas.",
    },
    json: { about: "Print the address as JSON." },
    ...HELP_OPTION,
  },
  run: serve,
};

async function serve(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "It takes no operands.");
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
    tell(served, invocation, terminal);
    if (served.joined) return EXIT.fine;
    await aborted(interruption);
    await served.stop();
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function tell(served: ServedPage, invocation: Invocation, terminal: Terminal): void {
  const { link, port } = served;
  if (invocation.has("json")) terminal.out(`${JSON.stringify({ link, port })}\n`);
  else terminal.out(`${link}\n`);
  if (served.joined) say(terminal, `${joinedNote(link)}\n`);
  else if (!invocation.has("json"))
    say(terminal, "Open this link; whoever has it can do there what you can do here. Ctrl-C ends the server.\n");
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
