import type { JsonPath, JsonRecord } from "../../shared/json-value.ts";
import type { GateDefinition, Requirement } from "../definition.ts";
import { DEFAULTS, PERSON } from "./defaults.ts";
import { durationOr, numberOr, recordOr, sizeOr, textOr, textsOr, wordOr } from "./loose-values.ts";
import type { Problems } from "../../protocol/file-problems.ts";
import { readAction, readCondition } from "./read-action.ts";

export function readGate(name: string, gate: JsonRecord, problems: Problems): GateDefinition {
  const path: JsonPath = ["gates", name];
  const { failed } = gate;
  const command = textsOr(gate["command"]);
  const require = readRequirement(gate, path, problems);
  if (gate["command"] === undefined && gate["require"] === undefined)
    problems.add({
      code: "missing-field",
      path,
      message: `Gate \`${name}\` has neither a \`command\` nor anything it would \`require\`.`,
      hint: "Give it a command, for example [npm, test], or a requirement, for example claims.refuted == 0.",
    });
  return {
    name,
    command,
    require,
    proves: textsOr(gate["proves"], provenBy(name)),
    reports: textsOr(gate["reports"]),
    place: wordOr(gate["place"], ["copy", "workspace"] as const, DEFAULTS.gate.place),
    bring: textsOr(gate["bring"], DEFAULTS.gate.bring),
    limits: {
      network: gate["network"] === true,
      memory: sizeOr(gate["memory"], sizeOr(DEFAULTS.gate.memory, 0)),
      processes: numberOr(gate["processes"], DEFAULTS.gate.processes),
      disk: sizeOr(gate["disk"], sizeOr(DEFAULTS.gate.disk, 0)),
      environment: Object.fromEntries(
        Object.entries(recordOr(gate["env"])).map(([key, value]) => [key, textOr(value, "")]),
      ),
      inherit: textsOr(gate["inherit"]),
    },
    timeout: durationOr(gate["timeout"], durationOr(DEFAULTS.gate.timeout, 0)),
    times: numberOr(gate["times"], DEFAULTS.gate.times),
    ...(gate["definitions"] === "base" && { definitions: "base" }),
    failed:
      failed === undefined
        ? { kind: "retry", most: DEFAULTS.gate.retry, then: PERSON }
        : (readAction(failed, [...path, "failed"], problems) ?? PERSON),
  };
}

function readRequirement(gate: JsonRecord, path: JsonPath, problems: Problems): Requirement | null {
  const text = gate["require"];
  if (text === undefined) return null;
  const condition = readCondition(text, [...path, "require"], problems);
  return { text: textOr(text, ""), condition };
}

/** Claims that a gate can prove, by the usual names of gates. */
const PROOFS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:unit-?)?tests?$/, ["tests", "unit"]],
  [/^type-?check$|^types$/, ["typecheck"]],
  [/^e2e$/, ["e2e"]],
];

function provenBy(name: string): readonly string[] {
  const plain = name.toLowerCase().replaceAll("_", "-");
  return PROOFS.find(([pattern]) => pattern.test(plain))?.[1] ?? [plain];
}
