/** The repository's own values for the open places of a ready workflow. */
export interface Binding {
  /** The `run` of every agent, as it is written in the file; null keeps the scripts. */
  readonly run: string | null;
  /** Commands of the gates by name; a gate without one is removed. */
  readonly gates: Readonly<Record<string, readonly string[]>>;
}

/** The text of a ready workflow with the repository's agents and commands filled in. */
export function bindWorkflow(text: string, { run, gates }: Binding): string {
  const bound = run === null ? text : text.replaceAll(/^( {4}run: )\{ process: .*\}$/gm, (_, key: string) => key + run);
  return bindChecks(bindGates(bound, gates), gates).replace(/^# Every agent's `run` is a placeholder.*\n/m, "");
}

function bindGates(text: string, gates: Binding["gates"]): string {
  const block = /^gates:\n(?: .*\n)+\n?/m.exec(text)?.[0];
  if (block === undefined) return text;
  const kept = block
    .split(/^(?= {2}\w)/m)
    .slice(1)
    .flatMap((gate) => {
      const command = gates[/^ {2}(\w+):/.exec(gate)?.[1] ?? ""];
      return command === undefined ? [] : [gate.replace(/command: .*/, `command: ${flow(command)}`)];
    });
  const names = new Set(Object.keys(gates));
  return text
    .replace(block, kept.length === 0 ? "" : `gates:\n${kept.join("").trimEnd()}\n\n`)
    .replaceAll(/^ {4}gates: \[(.*)\]\n/gm, (_, list: string) => {
      const left = list.split(/,\s*/).filter((name) => names.has(name));
      return left.length === 0 ? "" : `    gates: [${left.join(", ")}]\n`;
    });
}

/** Options of the validator that run the same command as a gate. */
const CHECKS: Readonly<Record<string, string>> = { lint: "lint", unit: "tests" };

function bindChecks(text: string, gates: Binding["gates"]): string {
  return text.replaceAll(/^( {8})(lint|unit): \[.*\]\n/gm, (_, indent: string, check: string) => {
    const command = gates[CHECKS[check] ?? ""];
    return command === undefined ? "" : `${indent}${check}: ${flow(command)}\n`;
  });
}

function flow(command: readonly string[]): string {
  return `[${command.map((word) => (/^[\w./=-]*[A-Za-z][\w./=-]*$/.test(word) ? word : JSON.stringify(word))).join(", ")}]`;
}
