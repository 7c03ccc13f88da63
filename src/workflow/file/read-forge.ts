import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { ForgeDefinition } from "../definition.ts";
import { DEFAULTS } from "./defaults.ts";
import { textOr } from "./loose-values.ts";
import type { Problems } from "../../protocol/file-problems.ts";

export const FORGE_KINDS = ["local", "github"] as const;
export const GITHUB_ONLY = ["api", "token"] as const;

export function readForge(forge: JsonValue | undefined, problems: Problems): ForgeDefinition | null {
  if (!isRecord(forge)) return null;
  const kinds = FORGE_KINDS.filter((kind) => forge[kind] !== undefined);
  if (kinds.length !== 1)
    problems.add({
      code: kinds.length === 0 ? "missing-field" : "inconsistent",
      path: ["forge"],
      atKey: true,
      message: kinds.length === 0 ? "`forge` does not say which." : "`forge` says both local and github.",
      hint: "Write exactly one of local and github.",
    });
  if (forge["github"] === undefined) return readLocal(forge, problems);
  return {
    kind: "github",
    repository: textOr(forge["github"], ""),
    api: textOr(forge["api"], DEFAULTS.forge.api),
    token: textOr(forge["token"], DEFAULTS.forge.token),
    base: textOr(forge["base"], null),
  };
}

function readLocal(forge: JsonRecord, problems: Problems): ForgeDefinition {
  for (const key of GITHUB_ONLY)
    if (forge[key] !== undefined)
      problems.add({
        code: "inconsistent",
        path: ["forge", key],
        atKey: true,
        message: `\`${key}\` means nothing with \`local\`.`,
        hint: "It belongs to github.",
      });
  return { kind: "local", folder: textOr(forge["local"], ""), base: textOr(forge["base"], null) };
}
