import type { ReactNode } from "react";
import { Link } from "wouter";
import type { HandoffPage } from "../../../src/api/answers.ts";
import { AgentParagraph, AgentText } from "../../components/agent-text.tsx";
import { Badge, type Look, stepLook } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { PageHead, Pairs } from "../../components/panel.tsx";
import { When } from "../../components/time.tsx";

const ACCEPTED: Look = { meaning: "good", icon: "check", word: "Accepted" };
const REFUSED: Look = { meaning: "bad", icon: "cross", word: "Refused" };

export function HandoffHead({ page }: { readonly page: HandoffPage }): ReactNode {
  const { run, agent, attempt, accepted, handoff, dialect, task, step, at } = page;
  return (
    <PageHead
      title={`Handoff of ${agent}`}
      above={
        <>
          <Link href={links.runs}>Runs</Link> / <Link href={links.run(run)}>{run}</Link> /{" "}
          <Link href={links.run(run, { step })}>{step}</Link>
        </>
      }
      aside={<Badge look={accepted ? ACCEPTED : REFUSED} />}
    >
      {handoff?.summary !== undefined && (
        <div className="handoff__summary">
          <AgentParagraph text={handoff.summary} />
        </div>
      )}
      <Pairs
        pairs={[
          outcomePair(page),
          ["Format", dialect ?? "not known"],
          [
            "Attempt",
            <span key="attempt" className="mono">
              {attempt}
            </span>,
          ],
          ...(task === "main" ? [] : ([["Task", <AgentText key="task" text={task} />]] as const)),
          ["Came", <When key="came" at={at} />],
        ]}
      />
      <Problems page={page} />
    </PageHead>
  );
}

function Problems({ page: { problems } }: { readonly page: HandoffPage }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <section className="handoff__problems" aria-label="Why it was refused">
      <strong>Why it was refused</strong>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.where ?? ""} ${problem.message}`}>
            {problem.where !== null && (
              <span className="mono">
                <AgentText text={problem.where} />:{" "}
              </span>
            )}
            <AgentText text={problem.message} />{" "}
            {problem.hint !== null && (
              <span className="soft">
                <AgentText text={problem.hint} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What was refused came to nothing: its outcome is only what it says. */
function outcomePair({ accepted, handoff }: HandoffPage): readonly [string, ReactNode] {
  if (handoff === null) return ["Outcome", "not read"];
  const look = stepLook(handoff.outcome);
  const word = handoff.status !== undefined && (
    <span className="soft mono">
      <AgentText text={handoff.status} />
    </span>
  );
  const shown = accepted ? look : { ...look, meaning: "plain" as const };
  return [
    accepted ? "Outcome" : "It says",
    <span key="outcome" className="handoff__outcome">
      <Badge look={shown} /> {word}
    </span>,
  ];
}
