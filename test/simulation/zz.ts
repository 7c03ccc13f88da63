import { simulate } from "./simulate.ts";
const r = simulate(Number(process.argv[2]));
console.log(
  r.broken,
  r.events.slice(-8).map((e) => JSON.stringify(e).slice(0, 250)),
  Object.values(r.state.tasks).map((t) => [t.id, t.status, t.next?.agent, t.step?.phase, t.blockers, t.dependsOn]),
  r.state.spent,
  r.workflow.budget,
  r.workflow.agents,
);
