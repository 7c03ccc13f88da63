import { EDGES, edgesBetween } from "../../protocol/dialects/issue-xml/edges.ts";
import type { Dialect } from "../../protocol/dialect.ts";
import { dialectNamed, isBuiltin } from "../../protocol/dialects/registry.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { instructionsFor } from "../../protocol/instructions.ts";
import { TAUGHT_OUTCOMES, type TaughtOutcome, exampleFor } from "../../protocol/outcome-examples.ts";
import { ownValue } from "../../shared/json-value.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, dialectOperand, formatsHere, requireDialect } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "instructions",
  summary: "Print the text that tells an agent how to write a dialect",
  usage: "DIALECT [--from AGENT] [--to AGENT] [--outcome OUTCOME]",
  details: [
    `DIALECT is one of ${DIALECT_NAMES.join(", ")}, or a format of your own.`,
    "Paste it into the prompt of the agent. It is made from the rules that the handoff is checked by.",
  ],
  options: {
    from: { value: "AGENT", about: "For this author, such as reviewer-agent." },
    to: { value: "AGENT", about: "For this receiver, such as fixer-agent." },
    outcome: {
      value: "OUTCOME",
      offered: Object.keys(TAUGHT_OUTCOMES),
      about: `With the example of this outcome: ${Object.keys(TAUGHT_OUTCOMES).join(", ")}.`,
    },
    json: { about: "Print {dialect, from, to, outcome, text} as JSON." },
    ...HELP_OPTION,
  },
  run: instructions,
};

async function instructions(invocation: Invocation, terminal: Terminal): Promise<number> {
  const formats = await formatsHere(terminal);
  const dialect = requireDialect(command, dialectOperand(command, invocation), "The dialect", formats);
  const [from, to] = [invocation.text("from"), invocation.text("to")];
  if (isUndescribedEdge(dialect, from, to)) {
    terminal.note("baton: the format describes no such handover, so the general form is shown. Described are:\n");
    for (const edge of EDGES) if (edge.from !== undefined) terminal.note(`       ${edge.from} to ${edge.to}\n`);
  }
  const outcome = chosenOutcome(invocation.text("outcome"), dialectNamed(dialect, formats));
  const text = instructionsFor(dialect, {
    formats,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(outcome !== undefined && { outcome }),
  });
  const record = { dialect, from: from ?? null, to: to ?? null, outcome: outcome ?? null, text };
  terminal.out(invocation.has("json") ? printJsonLines(record) : text);
  return EXIT.fine;
}

function chosenOutcome(word: string | undefined, dialect: Dialect): TaughtOutcome | undefined {
  if (word === undefined) return undefined;
  const outcome = ownValue(TAUGHT_OUTCOMES, word);
  if (outcome === undefined)
    throw usage(command, `--outcome takes ${Object.keys(TAUGHT_OUTCOMES).join(", ")}; found "${word}".`);
  if (!isBuiltin(dialect.name) && exampleFor(dialect, outcome) === undefined)
    throw usage(
      command,
      `No example for ${outcome} can be made from the one of ${dialect.name}: it has no word for it, or its rules ask for more.`,
    );
  return outcome;
}

function isUndescribedEdge(dialect: string, from: string | undefined, to: string | undefined): boolean {
  return dialect === "issue-xml" && edgesBetween(from, to).length === 0;
}
