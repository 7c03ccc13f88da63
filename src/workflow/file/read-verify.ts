import { CLAIM_KINDS, type ClaimKind } from "../../evidence/claim.ts";
import { CLAIM_ANSWERS, type ClaimAnswer, type ClaimPolicy, DEFAULT_POLICY, answerTo } from "../../evidence/policy.ts";
import { type JsonPath, type JsonValue, isRecord, printPath } from "../../shared/json-value.ts";
import { type Problems, unknownKey } from "../../protocol/file-problems.ts";

/** Instead of a policy: claims are not verified. */
export const OFF = "off";
/** In a policy: all kinds that are not named. */
export const OTHERS = "default";

const HINT = `Write ${CLAIM_ANSWERS.join(", ")} or ${OFF}, or one of them for each kind of claim, for example { file: refuse, time: record }.`;

/** One answer for all kinds, or one for each. Missing values are inherited. */
export function readVerify(
  value: JsonValue | undefined,
  above: ClaimPolicy | null,
  path: JsonPath,
  problems: Problems,
): ClaimPolicy | null {
  if (value === undefined) return above;
  // YAML 1.1 parsers read an unquoted `off` as false.
  if (value === OFF || value === false) return null;
  if (isAnswer(value)) return policyOf(() => value);
  if (isRecord(value)) return readKinds(value, above ?? DEFAULT_POLICY, path, problems);
  problems.add({ code: "wrong-type", path, message: `\`${printPath(path)}\` is no policy.`, hint: HINT });
  return above;
}

function readKinds(
  value: Readonly<Record<string, JsonValue | undefined>>,
  above: ClaimPolicy,
  path: JsonPath,
  problems: Problems,
): ClaimPolicy {
  for (const [key, word] of Object.entries(value)) {
    if (key !== OTHERS && !isKind(key)) unknownKey(key, [...CLAIM_KINDS, OTHERS], path, problems);
    else if (!isAnswer(word))
      problems.add({
        code: "not-allowed",
        path: [...path, key],
        message: `\`${printPath([...path, key])}\` must be one of ${CLAIM_ANSWERS.join(", ")}.`,
        hint: HINT,
      });
  }
  return policyOf((kind) => {
    const word = value[kind] ?? value[OTHERS];
    return isAnswer(word) ? word : answerTo(above, kind);
  });
}

function policyOf(answer: (kind: ClaimKind) => ClaimAnswer): ClaimPolicy {
  return Object.fromEntries(CLAIM_KINDS.map((kind) => [kind, answer(kind)]));
}

function isKind(word: string): word is ClaimKind {
  return (CLAIM_KINDS as readonly string[]).includes(word);
}

function isAnswer(word: unknown): word is ClaimAnswer {
  return (CLAIM_ANSWERS as readonly unknown[]).includes(word);
}
