import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ScheduleItem } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Notices } from "../../components/hook-notices.tsx";
import { links } from "../../components/links.ts";
import { Panel } from "../../components/panel.tsx";
import { withCommands } from "../../components/states.tsx";
import { When } from "../../components/time.tsx";
import { schedulesQuery } from "../../data/queries.ts";

/** When runs are started by themselves, and what became of the last times; nothing where no workflow has schedules. */
export function Schedules(): ReactNode {
  const { data } = useQuery(schedulesQuery);
  if (data === undefined) return null;
  return (
    <>
      <Notices label="Not started" notices={data.notices} />
      {data.items.length > 0 && (
        <div className="schedules-panel">
          <Panel title="Schedules">
            <ul className="schedules">
              {data.items.map((item) => (
                <Schedule key={`${item.workflow} ${item.name}`} item={item} />
              ))}
            </ul>
          </Panel>
        </div>
      )}
    </>
  );
}

function Schedule({ item: { workflow, name, cron, timezone, brief, next, notice, last } }: { item: ScheduleItem }) {
  return (
    <li>
      <span className="schedules__name">{name}</span>
      <span>{next === null ? notice === null ? "never" : "starts nothing" : <When at={next} />}</span>
      <span className="soft">
        {workflow}, <span className="mono">{cron}</span>, {timezone}
      </span>
      {brief !== "" && <AgentText text={brief} lines={1} />}
      {last !== null && (
        <span className="soft">
          {withCommands(last.says)} {last.run !== null && <Link href={links.run(last.run)}>Open the run</Link>}
        </span>
      )}
    </li>
  );
}
