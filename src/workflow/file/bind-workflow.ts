/** The repository's own values for the open places of a ready workflow. */
export interface Binding {
  /** The `run` of every agent, as it is written in the file; null keeps the scripts. */
  readonly run: string | null;
  /** The gates by name; one that is not named is removed. */
  readonly gates: Readonly<Record<string, BoundGate>>;
}

interface BoundGate {
  readonly command: readonly string[];
  /** Reports that this command really writes. */
  readonly reports: readonly string[];
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
      const bound = gates[/^ {2}(\w+):/.exec(gate)?.[1] ?? ""];
      return bound === undefined ? [] : [bindGate(gate, bound)];
    });
  const names = new Set(Object.keys(gates));
  return text
    .replace(block, kept.length === 0 ? "" : `gates:\n${kept.join("").trimEnd()}\n\n`)
    .replaceAll(/^ {4}gates: \[(.*)\]\n/gm, (_, list: string) => {
      const left = list.split(/,\s*/).filter((name) => names.has(name));
      return left.length === 0 ? "" : `    gates: [${left.join(", ")}]\n`;
    });
}

/** A report that no runner writes would leave the gate without a result. */
function bindGate(gate: string, { command, reports }: BoundGate): string {
  const plain = gate.replace(/(?: {4}#.*\n)? {4}reports: .*\n/, "");
  const written = reports.length === 0 ? "" : `\n    reports: ${flow(reports)}`;
  return plain.replace(/command: .*/, `command: ${flow(command)}${written}`);
}

/** Options of the validator that run the same command as a gate. */
const CHECKS: Readonly<Record<string, string>> = { lint: "lint", unit: "tests" };

function bindChecks(text: string, gates: Binding["gates"]): string {
  return text.replaceAll(/^( {8})(lint|unit): \[.*\]\n/gm, (_, indent: string, check: string) => {
    const bound = gates[CHECKS[check] ?? ""];
    return bound === undefined ? "" : `${indent}${check}: ${flow(bound.command)}\n`;
  });
}

function flow(command: readonly string[]): string {
  return `[${command.map((word) => (/^[\w./=-]*[A-Za-z][\w./=-]*$/.test(word) ? word : JSON.stringify(word))).join(", ")}]`;
}
