import type { Judgement } from "../../evidence/claim.ts";
import { answerTo, askedBy, refutedInWords } from "../../evidence/policy.ts";
import { count } from "../../shared/count.ts";
import type { Draft } from "../draft.ts";
import type { Answer, Problem } from "../input.ts";
import type { JudgedClaim } from "../state.ts";
import { askPerson } from "./ask-person.ts";
import { NOTHING, type NextRule } from "./next-rule.ts";

/**
 * Asks a person about refuted claims whose policy is `ask`, before the work goes on. What a person has accepted of this
 * agent is not asked again as long as the evidence is the same. Null when there is nothing to ask.
 */
export function askAboutClaims(draft: Draft, task: string, judgements: readonly Judgement[]): NextRule | null {
  const { agent } = draft.step(task);
  const policy = draft.agent(agent).verify;
  const asked = policy === null ? [] : askedBy(judgements, policy).filter((claim) => !isAccepted(draft, task, claim));
  if (asked.length === 0) return null;
  const details = asked.slice(0, MAX_ASKED).map(refutedInWords);
  const more = asked.length - details.length;
  askPerson(draft, task, {
    kind: "claims",
    agent,
    title: `May the work of ${agent} go on? ${refutedInWords(asked[0] ?? NONE)}`,
    details: more === 0 ? details : [...details, `and ${count(more, "more claim", "more claims")}`],
    choices: ["approve", "reject", "fail"],
  });
  return NOTHING;
}

const MAX_ASKED = 20;
const NONE: JudgedClaim = { kind: "file", says: "", evidence: "" };

function isAccepted(draft: Draft, task: string, claim: JudgedClaim): boolean {
  const { agent } = draft.step(task);
  return draft.task(task).acceptedClaims.some((known) => known.agent === agent && isSameClaim(known, claim));
}

export function isSameClaim(left: JudgedClaim, right: JudgedClaim): boolean {
  return left.kind === right.kind && left.says === right.says && left.evidence === right.evidence;
}

type Decision = Pick<Answer, "choice" | "text" | "by">;

/** What was asked about is accepted as it is, or goes back to its author with the evidence. */
export function decideClaims(draft: Draft, task: string, { choice, text, by }: Decision): NextRule {
  const { id: step, agent, refuted } = draft.step(task);
  const policy = draft.agent(agent).verify;
  const claims = Object.values(refuted).filter(({ kind }) => policy !== null && answerTo(policy, kind) === "ask");
  if (choice === "approve") {
    draft.record({ kind: "claims-waived", task, step, agent, claims, by });
    return { do: "pass-gates" };
  }
  const words: Problem[] = text === null ? [] : [{ message: `${by} says: ${text}`, ...NO_PLACE, hint: null }];
  const hint = `${by} does not accept it. Undo it, or hand over again and say why it must be so.`;
  const problems = claims.map((claim) => ({ message: refutedInWords(claim), ...NO_PLACE, hint }));
  return { do: "send-back", problems: [...words, ...problems], isDemanded: true };
}

const NO_PLACE = { where: null, rule: null };
