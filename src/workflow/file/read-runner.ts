import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Runner } from "../definition.ts";
import { checkBuiltinOptions, isBuiltinName } from "./builtin-options.ts";
import { recordOr, textOr, textsOr, wordOr } from "./loose-values.ts";
import type { Problems } from "./problems.ts";

export const RUNNER_KINDS = ["process", "claude", "codex", "acp", "function", "builtin", "human"] as const;
type Kind = (typeof RUNNER_KINDS)[number];

/** Keys of `run` that say more about some kinds only. */
export const COMPANIONS: Readonly<Record<string, readonly Kind[]>> = {
  prompt: ["process"],
  env: ["process"],
  inherit: ["process"],
  command: ["claude", "codex"],
  options: ["acp", "builtin"],
};

const HINT = `Write exactly one of ${RUNNER_KINDS.join(", ")}.`;

export function readRunner(run: JsonValue | undefined, path: JsonPath, problems: Problems): Runner {
  // That it is absent, or no record, was told already.
  if (!isRecord(run)) return { kind: "human" };
  const kinds = RUNNER_KINDS.filter((kind) => run[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined)
    problems.add({ code: "missing-field", path, atKey: true, message: "`run` does not say what runs.", hint: HINT });
  if (kinds.length > 1)
    problems.add({
      code: "inconsistent",
      path: [...path, kinds[1] ?? ""],
      atKey: true,
      message: `\`run\` says both ${kinds.join(" and ")}.`,
      hint: HINT,
    });
  if (kind === undefined) return { kind: "human" };
  checkCompanions(run, kind, path, problems);
  return runnerOf(kind, run, path, problems);
}

function checkCompanions(run: JsonRecord, kind: Kind, path: JsonPath, problems: Problems): void {
  for (const [key, partners] of Object.entries(COMPANIONS))
    if (run[key] !== undefined && !partners.includes(kind))
      problems.add({
        code: "inconsistent",
        path: [...path, key],
        atKey: true,
        message: `\`${key}\` means nothing with \`${kind}\`.`,
        hint: `It belongs to ${partners.join(" and ")}.`,
      });
}

function runnerOf(kind: Kind, run: JsonRecord, path: JsonPath, problems: Problems): Runner {
  switch (kind) {
    case "process":
      return {
        kind,
        command: textsOr(run["process"]),
        prompt: wordOr(run["prompt"], ["stdin", "file", "argument"] as const, "stdin"),
        environment: textFields(recordOr(run["env"])),
        inherit: textsOr(run["inherit"]),
      };
    case "claude":
    case "codex":
      return { kind, command: textsOr(run["command"], [kind]), options: recordOr(run[kind]) };
    case "acp":
      return { kind, command: textsOr(run["acp"]), options: recordOr(run["options"]) };
    case "function": {
      const [module = "", name = ""] = textOr(run["function"], "").split("#");
      return { kind, module, name };
    }
    case "builtin": {
      const { builtin: name } = run;
      const options = recordOr(run["options"]);
      // Another word was refused already.
      if (!isBuiltinName(name)) return { kind: "human" };
      checkBuiltinOptions(name, options, [...path, "options"], problems);
      return { kind, name, options };
    }
    case "human":
      if (run["human"] === false)
        problems.add({
          code: "not-allowed",
          path: [...path, "human"],
          message: "`human: false` does not say what runs.",
          hint: HINT,
        });
      return { kind };
  }
}

function textFields(record: JsonRecord): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
