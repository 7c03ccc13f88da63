import {
  COMPLEXITIES,
  type Complexity,
  leftOutReason,
  MAX_CONTEXT_TOKENS,
  PACKET_LAYOUTS,
  type PacketSize,
  previewAbout,
  type PreviewedPacket,
  previewPacket,
  renderPacket,
} from "../../runtime/operations/preview-packet.ts";
import { isBuiltin } from "../../protocol/dialects/registry.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import type { Engine } from "../../runtime/engine.ts";
import { defuseLines, printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, formatsHere, requireDialect, wholeNumber } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "context",
  summary: "Print the context that an agent would get now, and what is left out",
  usage: "[RUN] | --about TEXT",
  details: [
    "Without RUN: the newest run, and its active task. With --about: what is known about a text,",
    "for the whole repository. Every line names its task, agent, handoff and fact.",
    "What is left out, and why, goes to standard error.",
  ],
  options: {
    about: { value: "TEXT", about: "What the work is about, instead of a run." },
    task: { value: "ID", about: "For this task of the run." },
    agent: { value: "NAME", about: "As this agent would be given it." },
    budget: { value: "TOKENS", about: "At most so many tokens, estimated, instead of what the workflow says." },
    complexity: {
      value: "WORD",
      choices: COMPLEXITIES,
      about: "easy, normal or complex: how much is given beside what the work stands on.",
    },
    layout: {
      value: "DIALECT",
      offered: DIALECT_NAMES,
      about: "Laid out as an agent of this dialect reads it, or of a format of your own (as Markdown).",
    },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  run: context,
};

async function context(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { operands, has, text } = invocation;
  if (operands.length > 1) throw usage(command, "Name one run only.");
  if (has("about") && (operands.length > 0 || has("task") || has("agent")))
    throw usage(command, "--about is for the whole repository: it takes no run, task or agent.");
  const budget = wholeNumber(command, invocation, "budget") ?? null;
  if (budget !== null && budget > MAX_CONTEXT_TOKENS)
    throw usage(command, `--budget is at most ${MAX_CONTEXT_TOKENS}; found ${budget}.`);
  const size = {
    budget,
    complexity: (text("complexity") ?? null) as Complexity | null,
    layout: await layoutGiven(text("layout"), terminal),
  };
  const engine = await terminal.openExisting();
  try {
    show(await preview(engine, invocation, size), has("json"), terminal);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

async function layoutGiven(name: string | undefined, terminal: Terminal): Promise<PacketSize["layout"]> {
  if (name === undefined || isBuiltin(name)) return name ?? null;
  return requireDialect(command, name, "--layout", await formatsHere(terminal));
}

function preview(engine: Engine, { operands: [run], text }: Invocation, size: PacketSize): Promise<PreviewedPacket> {
  const about = text("about");
  if (about !== undefined) return previewAbout(engine, about, size);
  return previewPacket(engine, { run, task: text("task"), agent: text("agent"), ...size });
}

function show(previewed: PreviewedPacket, asJson: boolean, terminal: Terminal): void {
  const { packet, run, task, agent, isGiven, complexity } = previewed;
  const { sections, leftOut, estimatedTokens, budget, layout } = packet;
  if (asJson) {
    const size = { complexity, budget, estimated_tokens: estimatedTokens };
    const texts = { layout, text: renderPacket(packet), markdown: PACKET_LAYOUTS["task-yaml"].render(packet) };
    terminal.out(printJsonLines({ run, task, agent, given: isGiven, ...size, sections, left_out: leftOut, ...texts }));
    return;
  }
  if (sections.length === 0) say(terminal, "No known fact is about this work.\n");
  else terminal.out(`${defuseLines(renderPacket(packet).split("\n").map(printable))}\n`);
  for (const { title, text, source, why } of leftOut)
    say(
      terminal,
      printable(`left out: ${source.fact ?? source.task}, ${title}: ${text} (${leftOutReason(why)})`) + "\n",
    );
  if (!isGiven) say(terminal, printable(`The workflow gives ${agent ?? ""} nothing: context is off.`) + "\n");
  say(terminal, `About ${estimatedTokens} of ${budget} tokens, estimated.\n`);
}
