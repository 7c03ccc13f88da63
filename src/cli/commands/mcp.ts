import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "mcp",
  summary: "Serve the tools of Baton to a coding agent (MCP over standard input and output)",
  usage: "",
  details: [
    "A client starts it itself. Claude Code: claude mcp add baton -- baton mcp. Codex: codex mcp add baton -- baton mcp.",
    "Tools: validate, submit and convert handoffs, context and knowledge, runs, and questions to the person.",
    "Over HTTP the same is at /mcp of `baton serve`, with its token.",
    "It ends when the client closes standard input.",
  ],
  options: { ...HELP_OPTION },
  run: async ({ operands }, terminal) => {
    if (operands.length > 0) throw usage(command, "This command takes no arguments.");
    await terminal.serveMcp();
    return EXIT.fine;
  },
};
