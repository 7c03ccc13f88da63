import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "serve",
  summary: "Show the runs on a page in the browser, and drive those that have something to do",
  usage: "",
  details: [
    "Prints a link with a token; only this machine can reach it. Ctrl-C ends it, and loses nothing.",
    "The token is kept in the state folder, or taken from BATON_TOKEN.",
  ],
  options: {
    port: { value: "N", about: "Where it listens (default 4500); 0 takes any port that is free." },
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

const PORT = 4500;

async function serve(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "It takes no operands.");
  const port = wholeNumber(command, invocation, "port") ?? PORT;
  if (port > 65_535) throw usage(command, `--port is at most 65535; found ${port}.`);
  const isDemo = invocation.has("demo");
  const interruption = terminal.interruption();
  const engine = isDemo ? await terminal.openDemo() : await terminal.openEngine();
  try {
    const served = await terminal.openServer(engine, {
      port,
      isDemo,
      drives: !invocation.has("no-drive"),
      webhooks: invocation.texts("webhook").flatMap((text) => text.split(",")),
    });
    terminal.outliveReaders();
    tell(served.link, served.port, invocation, terminal);
    await aborted(interruption);
    await served.stop();
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function tell(link: string, port: number, invocation: Invocation, terminal: Terminal): void {
  if (invocation.has("json")) terminal.out(`${JSON.stringify({ link, port })}\n`);
  else {
    terminal.out(`${link}\n`);
    terminal.note("Open this link; whoever has it can do there what you can do here. Ctrl-C ends the server.\n");
  }
  if (invocation.has("open")) terminal.openBrowser(link);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
