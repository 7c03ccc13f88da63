import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { AGENT_KIND_NAMES, AGENT_KINDS, type AgentKind, kindsWith, RUN_COMPANIONS } from "../agent-kinds.ts";
import type { Runner } from "../definition.ts";
import { checkBuiltinOptions, isBuiltinName } from "./builtin-options.ts";
import { recordOr, textOr, textsOr, wordOr } from "./loose-values.ts";
import type { Problems } from "../../protocol/file-problems.ts";

const HINT = `Write exactly one of ${AGENT_KIND_NAMES.join(", ")}.`;

export function readRunner(run: JsonValue | undefined, path: JsonPath, problems: Problems): Runner {
  // A missing or invalid `run` was already reported.
  if (!isRecord(run)) return { kind: "human" };
  const kinds = AGENT_KIND_NAMES.filter((kind) => run[kind] !== undefined);
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

function checkCompanions(run: JsonRecord, kind: AgentKind, path: JsonPath, problems: Problems): void {
  for (const key of RUN_COMPANIONS)
    if (run[key] !== undefined && !AGENT_KINDS[kind].companions.includes(key))
      problems.add({
        code: "inconsistent",
        path: [...path, key],
        atKey: true,
        message: `\`${key}\` means nothing with \`${kind}\`.`,
        hint: `It belongs to ${kindsWith(key).join(" and ")}.`,
      });
}

function runnerOf(kind: AgentKind, run: JsonRecord, path: JsonPath, problems: Problems): Runner {
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
      // An unknown name was already reported.
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
