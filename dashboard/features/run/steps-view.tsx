import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { RunPage, StepItem } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { Badge, stepLook } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { Empty } from "../../components/states.tsx";
import { Took } from "../../components/time.tsx";
import { StepDetail } from "./step-detail.tsx";
import { statusOf } from "./step-status.ts";

/** All steps, and one of them whole. */
export function StepsView({ page: { steps, item } }: { readonly page: RunPage }): ReactNode {
  const [words, change] = useAddressWords();
  const agent = words.get("agent");
  const kept = Object.fromEntries([...words].filter(([name]) => name === "agent" || name === "show"));
  const listed = agent === null ? steps : steps.filter((step) => step.agent === agent);
  const chosen = steps.find(({ step }) => step === words.get("step")) ?? listed.at(-1);
  const list = useChosenInSight(chosen?.step);
  if (steps.length === 0) return <NoSteps isObserved={item.is_observed} />;
  return (
    <div className="steps">
      <div>
        {agent !== null && (
          <p className="steps__filter">
            Only steps of <strong>{agent}</strong>{" "}
            <button type="button" className="link-button" onClick={() => change({ agent: "" })}>
              Show all
            </button>
          </p>
        )}
        <ol ref={list} className="steps__list" aria-label="Steps">
          {listed.map((step) => (
            <li key={step.step} className="steps__one">
              <StepLink item={item} step={step} kept={kept} isChosen={step.step === chosen?.step} />
            </li>
          ))}
        </ol>
      </div>
      {chosen === undefined ? (
        <Empty title="This agent was not started">Choose another one, or show all steps.</Empty>
      ) : (
        <StepDetail key={chosen.step} item={item} step={chosen} />
      )}
    </div>
  );
}

function NoSteps({ isObserved }: { readonly isObserved: boolean }): ReactNode {
  if (!isObserved) return <Empty icon="hourglass" title="No step has begun yet" />;
  return (
    <Empty title="No agent of this session has owed a handoff yet">
      Which agents owe one is said by <code>sessions</code> in <code>baton.yaml</code>.
    </Empty>
  );
}

/** The list scrolls to the step whose details are shown; the page stays where it is. */
function useChosenInSight(chosen: string | undefined): RefObject<HTMLOListElement | null> {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, one] = [list.current, list.current?.querySelector<HTMLElement>("[aria-current=true]") ?? null];
    if (box === null || one === null) return;
    const [frame, place] = [box.getBoundingClientRect(), one.getBoundingClientRect()];
    if (place.top < frame.top) box.scrollTop -= frame.top - place.top;
    else if (place.bottom > frame.bottom) box.scrollTop += place.bottom - frame.bottom;
  }, [chosen]);
  return list;
}

function StepLink({
  item,
  step,
  kept,
  isChosen,
}: {
  readonly item: RunPage["item"];
  readonly step: StepItem;
  /** What stays chosen from step to step. */
  readonly kept: Readonly<Record<string, string>>;
  readonly isChosen: boolean;
}): ReactNode {
  const { refuted } = step.claims;
  return (
    <Link
      href={links.run(item.run, { ...kept, step: step.step })}
      className="steps__link"
      replace
      {...(isChosen ? { "aria-current": "true" as const } : {})}
    >
      <span className="steps__agent">{step.agent}</span>
      <Badge look={stepLook(statusOf(step, item.idle_since !== null))} />
      <span className="steps__note">
        <span className="mono">{step.step}</span>
        {step.task !== "main" && <span>{step.task}</span>}
        {step.iteration > 1 && <span>round {step.iteration}</span>}
        {step.reason !== "first" && step.reason !== "forward" && <span>{step.reason}</span>}
        {step.attempts.length > 1 && <span>{step.attempts.length} attempts</span>}
        {refuted > 0 && <span className="ink--bad">{refuted} refuted</span>}
        {step.attempts[0]?.is_begin_known === false || (step.ended_at === null && item.idle_since !== null) ? (
          <span>time unknown</span>
        ) : (
          <Took from={step.started_at} to={step.ended_at} />
        )}
      </span>
    </Link>
  );
}
