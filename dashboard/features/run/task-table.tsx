import type { ReactNode } from "react";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, stepLook } from "../../components/badge.tsx";

export function TaskTable({ tasks }: { readonly tasks: RunPage["view"]["tasks"] }): ReactNode {
  return (
    <div className="scroll-x" role="group" aria-label="Tasks" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Status</th>
            <th scope="col">Agent</th>
            <th scope="col">Needs first</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id}>
              <th scope="row">
                <span className="mono">{task.id}</span> {task.name !== task.id && <AgentText text={task.name} />}
              </th>
              <td>
                <Badge look={stepLook(task.status)} />
              </td>
              <td>{task.agent ?? "—"}</td>
              <td className="mono">{task.depends_on.length === 0 ? "—" : task.depends_on.join(", ")}</td>
              <td>{task.reason === null ? "—" : <AgentText text={task.reason} lines={3} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
