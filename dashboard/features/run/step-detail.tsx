import { Button, SegmentedControl } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AttemptItem, StepItem } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { AgentParagraph, AgentText } from "../../components/agent-text.tsx";
import { Badge, stepLook, VERDICT_LOOKS } from "../../components/badge.tsx";
import { count, dollars } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Took, When } from "../../components/time.tsx";
import { AttemptText, TEXTS } from "./attempt-text.tsx";
import { Gates } from "./gates.tsx";
import { statusOf } from "./step-status.ts";

/** One step: what it was given, what it said, how it was judged. */
export function StepDetail({ run, step }: { readonly run: string; readonly step: StepItem }): ReactNode {
  const [words, change] = useAddressWords();
  const attempt = step.attempts.find((one) => one.attempt === words.get("attempt")) ?? step.attempts.at(-1);
  const show = TEXTS.find(({ value }) => value === words.get("show"))?.value ?? "output";
  return (
    <div className="step">
      <h3 className="step__title">
        {step.agent} <Badge look={stepLook(statusOf(step))} />
        {step.status_word !== null && <span className="soft mono">{step.status_word}</span>}
      </h3>
      {step.summary !== null && <AgentParagraph text={step.summary} />}
      <Claims run={run} step={step} />
      <Attempts run={run} step={step} chosen={attempt?.attempt} />
      <Gates gates={step.gates} />
      {attempt !== undefined && (
        <div>
          <SegmentedControl
            size="xs"
            mb={8}
            aria-label="Text of the attempt"
            value={show}
            onChange={(value) => change({ show: value, step: step.step })}
            data={TEXTS.map(({ value, word }) => ({ value, label: word }))}
          />
          <AttemptText run={run} attempt={attempt.attempt} show={show} />
        </div>
      )}
    </div>
  );
}

function Claims({ run, step }: { readonly run: string; readonly step: StepItem }): ReactNode {
  const { confirmed, refuted, unverifiable } = step.claims;
  const told = step.attempts.findLast((attempt) => attempt.has_handoff);
  if (told === undefined) return null;
  return (
    <div className="row">
      {confirmed > 0 && <Badge look={{ ...VERDICT_LOOKS.confirmed, word: `${confirmed} confirmed` }} />}
      {refuted > 0 && <Badge look={{ ...VERDICT_LOOKS.refuted, word: `${refuted} refuted` }} />}
      {unverifiable > 0 && <Badge look={{ ...VERDICT_LOOKS.unverifiable, word: `${unverifiable} unverifiable` }} />}
      {confirmed + refuted + unverifiable > 0 && (
        <Link href={links.handoff(run, told.attempt, { view: "claims" })}>See the claims</Link>
      )}
    </div>
  );
}

function Attempts({
  run,
  step,
  chosen,
}: {
  readonly run: string;
  readonly step: StepItem;
  readonly chosen: string | undefined;
}): ReactNode {
  return (
    <section aria-label="Attempts">
      <h4>Attempts</h4>
      <ol className="attempts">
        {step.attempts.map((attempt) => (
          <AttemptRow
            key={attempt.attempt}
            run={run}
            step={step.step}
            attempt={attempt}
            isChosen={attempt.attempt === chosen}
          />
        ))}
      </ol>
    </section>
  );
}

function AttemptRow({
  run,
  step,
  attempt,
  isChosen,
}: {
  readonly run: string;
  readonly step: string;
  readonly attempt: AttemptItem;
  readonly isChosen: boolean;
}): ReactNode {
  const { tokens, money } = attempt;
  return (
    <li className="attempts__one">
      <Link
        replace
        href={links.run(run, { step, attempt: attempt.attempt })}
        className="mono"
        {...(isChosen ? { "aria-current": "true" as const } : {})}
      >
        {attempt.attempt}
      </Link>
      <Badge look={stepLook(attempt.was_refused ? "refused" : (attempt.end ?? "working"))} />
      <span className="soft">
        <When at={attempt.started_at} />, {attempt.ended_at === null ? "for" : "took"}{" "}
        <Took from={attempt.started_at} to={attempt.ended_at} />
      </span>
      <span className="soft">
        {tokens === null ? "tokens unknown" : `${count(tokens)} tokens`},{" "}
        {money === null ? "cost unknown" : dollars(money)}
      </span>
      {attempt.has_handoff && (
        <Button component={Link} size="compact-xs" variant="default" href={links.handoff(run, attempt.attempt)}>
          {attempt.was_refused ? "Open the refused handoff" : "Open the handoff"}
        </Button>
      )}
      {attempt.message !== null && attempt.message !== attempt.end && <AgentText text={attempt.message} lines={3} />}
    </li>
  );
}
