import { Tabs } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { RunPage } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { OtherAgents } from "./session.tsx";
import { IssueTable, TaskTable } from "./run-tables.tsx";
import { StepsView } from "./steps-view.tsx";
import { Timeline } from "./timeline.tsx";

/** The details of a run, each under a word of the address. */
export function RunTabs({ page }: { readonly page: RunPage }): ReactNode {
  const [words, change] = useAddressWords();
  const place = useShownWhenMeant(words);
  const { view, steps, others } = page;
  const stepsTab = { value: "steps", word: `Steps (${steps.length})`, content: () => <StepsView page={page} /> };
  const timeline = { value: "timeline", word: "Timeline", content: () => <Timeline run={view.run} /> };
  const issues = {
    value: "issues",
    word: `Issues (${view.issues.length})`,
    content: () => <IssueTable issues={view.issues} />,
  };
  const tasks = {
    value: "tasks",
    word: `Tasks (${view.tasks.length})`,
    content: () => <TaskTable tasks={view.tasks} />,
  };
  const other = {
    value: "others",
    word: `Other agents (${others.length})`,
    content: () => <OtherAgents others={others} />,
  };
  // Each agent of a session has a task of its own, which says no more than its steps.
  const tabs =
    view.observed === null
      ? [stepsTab, timeline, issues, tasks]
      : [stepsTab, ...(others.length > 0 ? [other] : []), timeline, ...(view.issues.length > 0 ? [issues] : [])];
  const shown = tabs.find(({ value }) => value === words.get("tab")) ?? tabs[0];
  return (
    <section ref={place} className="panel run-details" aria-label="Details">
      <Tabs
        value={shown?.value ?? "steps"}
        onChange={(value) => change({ tab: value === null || value === "steps" ? "" : value })}
        keepMounted={false}
      >
        <Tabs.List>
          {tabs.map(({ value, word }) => (
            <Tabs.Tab key={value} value={value}>
              {word}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, content }) => (
          <Tabs.Panel key={value} value={value}>
            {value === shown?.value && content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

/** A link to a step or a tab leads there, not to the top of the page. */
function useShownWhenMeant(words: URLSearchParams): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const first = useRef(words);
  useEffect(() => {
    const isMeant = ["tab", "step", "attempt", "show"].some((name) => first.current.has(name));
    if (isMeant) place.current?.scrollIntoView({ block: "start" });
  }, []);
  return place;
}
