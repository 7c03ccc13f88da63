import { type SetupFinding, examineSetup } from "../../runtime/operations/examine-setup.ts";
import { printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display } from "../fit-lines.ts";
import { MARKS, paint } from "../paint.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "doctor",
  summary: "Find what keeps handoffs from being checked on this machine, with what mends it",
  usage: "",
  details: [
    "Looks at Node, git, the state, the sandbox, the port of the page, formats, the section `sessions` of baton.yaml,",
    "the MCP server, and the clients: which are there, whether the hooks of Baton are in their settings, are trusted, and",
    "were heard of in this repository. Clients pass in silence where a hook is missing or not trusted.",
    "It changes nothing, runs nothing of the repository, and reads no credentials.",
    "Exit code: 0 nothing is wrong, 1 something is.",
  ],
  options: {
    json: { about: "Print {ok, findings: [{about, client, is, says, fix}]} as JSON; `is` is fine, note or wrong." },
    ...HELP_OPTION,
  },
  run: doctor,
};

async function doctor(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "This command takes no arguments.");
  const findings = await examineSetup(await terminal.doctorMachine());
  const wrong = findings.filter(({ is }) => is === "wrong").length;
  if (invocation.has("json")) terminal.out(printJsonLines({ ok: wrong === 0, findings }));
  else display(terminal, printFindings(findings, terminal.colour.out));
  return wrong === 0 ? EXIT.fine : EXIT.findings;
}

const TONES = { fine: "good", note: "quiet", wrong: "bad" } as const;

function printFindings(findings: readonly SetupFinding[], colour: boolean): string {
  const lines = findings.flatMap(({ is, says, fix }) => [
    paint(`${MARKS[TONES[is]]} ${printable(says)}`, TONES[is], colour && is !== "note"),
    ...(fix === null || is === "fine" ? [] : [`    fix: ${printable(fix)}`]),
  ]);
  const wrong = findings.filter(({ is }) => is === "wrong").length;
  const end = wrong === 0 ? "Nothing is wrong." : `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong.`;
  return `${[...lines, "", end].join("\n")}\n`;
}
