import { Button, SegmentedControl } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AttemptItem, RunPage, StepItem } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { AgentParagraph, AgentText } from "../../components/agent-text.tsx";
import { Badge, stepLook, VERDICT_LOOKS } from "../../components/badge.tsx";
import { count, dollars } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Took, When } from "../../components/time.tsx";
import { AttemptText, TEXTS } from "./attempt-text.tsx";
import { Gates } from "./gates.tsx";
import { attemptStatus, statusOf } from "./step-status.ts";

/** One step: what it was given, what it said, how it was judged. */
export function StepDetail({ item, step }: { readonly item: RunPage["item"]; readonly step: StepItem }): ReactNode {
  const { run, is_observed: isObserved } = item;
  const isIdle = item.idle_since !== null;
  const [words, change] = useAddressWords();
  const attempt = step.attempts.find((one) => one.attempt === words.get("attempt")) ?? step.attempts.at(-1);
  const show = TEXTS.find(({ value }) => value === words.get("show"))?.value ?? "output";
  return (
    <div className="step">
      <h3 className="step__title">
        {step.agent} <Badge look={stepLook(statusOf(step, isIdle))} />
        {step.status_word !== null && <span className="soft mono">{step.status_word}</span>}
      </h3>
      {step.summary !== null && <AgentParagraph text={step.summary} />}
      <Claims run={run} step={step} />
      <Attempts run={run} step={step} chosen={attempt?.attempt} isIdle={isIdle} />
      <Gates gates={step.gates} />
      {isObserved && <p className="soft">What it was asked for and wrote besides its handoff stays in its client.</p>}
      {attempt !== undefined && !isObserved && (
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
  isIdle,
}: {
  readonly run: string;
  readonly step: StepItem;
  readonly chosen: string | undefined;
  readonly isIdle: boolean;
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
            isIdle={isIdle}
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
  isIdle,
}: {
  readonly run: string;
  readonly step: string;
  readonly attempt: AttemptItem;
  readonly isChosen: boolean;
  readonly isIdle: boolean;
}): ReactNode {
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
      <Badge look={stepLook(attemptStatus(attempt, isIdle))} />
      <AttemptTime attempt={attempt} isIdle={isIdle} />
      <span className="soft">{usageOf(attempt)}</span>
      {attempt.has_handoff && (
        <Button component={Link} size="compact-xs" variant="default" href={links.handoff(run, attempt.attempt)}>
          {attempt.was_refused ? "Open the refused handoff" : "Open the handoff"}
        </Button>
      )}
      {attempt.message !== null && attempt.message !== attempt.end && <AgentText text={attempt.message} lines={3} />}
    </li>
  );
}

function AttemptTime({ attempt, isIdle }: { readonly attempt: AttemptItem; readonly isIdle: boolean }): ReactNode {
  const { started_at: from, ended_at: to, is_begin_known: isKnown } = attempt;
  if (to === null && isIdle)
    return (
      <span className="soft">
        began <When at={from} />, its end was not heard of
      </span>
    );
  if (!isKnown)
    return (
      <span className="soft">
        ended <When at={to ?? from} />, its beginning was not heard of
      </span>
    );
  return (
    <span className="soft">
      <When at={from} />, {to === null ? "for" : "took"} <Took from={from} to={to} />
    </span>
  );
}

function usageOf({ tokens, tokens_at_least: least, money, end }: AttemptItem): string {
  // Its figures come when it ends.
  if (end === null) return "";
  const used =
    tokens === null
      ? least === null
        ? "tokens unknown"
        : `at least ${count(least)} tokens, from a part of its transcript`
      : `${count(tokens)} tokens`;
  return `${used}, ${money === null ? "cost unknown" : dollars(money)}`;
}
