import { EDGES, edgesBetween } from "../../protocol/dialects/issue-xml/edges.ts";
import { DIALECT_NAMES } from "../../protocol/handoff.ts";
import { instructionsFor } from "../../protocol/instructions.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { HELP_OPTION, dialectOperand, requireDialect } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "instructions",
  summary: "Print the text that tells an agent how to write a dialect",
  usage: "DIALECT [--from AGENT] [--to AGENT]",
  details: [
    `DIALECT is one of ${DIALECT_NAMES.join(", ")}.`,
    "Paste it into the prompt of the agent. It is made from the rules that the handoff is checked by.",
  ],
  options: {
    from: { value: "AGENT", about: "For this author, such as reviewer-agent." },
    to: { value: "AGENT", about: "For this receiver, such as fixer-agent." },
    json: { about: "Print {dialect, from, to, text} as JSON." },
    ...HELP_OPTION,
  },
  run: instructions,
};

async function instructions(invocation: Invocation, terminal: Terminal): Promise<number> {
  const dialect = requireDialect(command, dialectOperand(command, invocation), "The dialect");
  const [from, to] = [invocation.text("from"), invocation.text("to")];
  if (isUndescribedEdge(dialect, from, to)) {
    terminal.note("baton: the format describes no such handover, so the general form is shown. Described are:\n");
    for (const edge of EDGES) if (edge.from !== undefined) terminal.note(`       ${edge.from} to ${edge.to}\n`);
  }
  const text = instructionsFor(dialect, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  const record = { dialect, from: from ?? null, to: to ?? null, text };
  terminal.out(invocation.has("json") ? printJsonLines(record) : text);
  return EXIT.fine;
}

function isUndescribedEdge(dialect: string, from: string | undefined, to: string | undefined): boolean {
  return dialect === "issue-xml" && edgesBetween(from, to).length === 0;
}
