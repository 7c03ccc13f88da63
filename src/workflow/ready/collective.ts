/** 002: hub and spoke. */
export const collective = `# Hub and spoke: the hubs delegate, the spokes return to whoever sent them.
# Names are written without @ here; handoffs write "@research-agent" and mean the same agent.
# A hub may send work around as it likes; budget.steps bounds it.
baton: 1
name: collective
description: A routing agent and a workflow agent delegate phases to specialists
start: routing-agent
budget: { wall: 1d, agent: 4h, steps: 60 }
asks: { timeout: 24h, silence: remind }

agents:
  routing-agent:
    run: { process: [node, agents/routing-agent.mjs] }
    dialect: phase-yaml
    phase: Planning
    hub: true
    prompt: |
      Decide who works next and hand over to that agent. When everything is done and tested, write phase Complete
      and to "None": that ends the run.
    routes:
      done:
        choose: [workflow-agent, research-agent, implementation-agent, testing-agent, quality-agent, end]
        otherwise: person
      in-progress:
        choose: [workflow-agent, research-agent, implementation-agent, testing-agent, quality-agent]
        otherwise: { retry: 3, then: person }

  workflow-agent:
    run: { process: [node, agents/workflow-agent.mjs] }
    dialect: phase-yaml
    phase: Planning
    hub: true
    prompt: |
      Lead the work through its phases, one agent at a time: Research, Implementation, Testing, QA.
      When your part is done, hand over to "None": the work returns to who delegated to you.
    routes:
      done:
        choose: [research-agent, implementation-agent, testing-agent, quality-agent, return]
        otherwise: return
      in-progress:
        choose: [research-agent, implementation-agent, testing-agent, quality-agent]
        otherwise: { retry: 3, then: return }
      blocked: return

  research-agent:
    run: { process: [node, agents/research-agent.mjs] }
    dialect: phase-yaml
    phase: Research
    prompt: |
      Find out what the others need to know and write it down with its sources.
    routes:
      done: return
      needs-fixes: { retry: 3, then: return }
      blocked: return

  implementation-agent:
    run: { process: [node, agents/implementation-agent.mjs] }
    dialect: phase-yaml
    phase: Implementation
    prompt: |
      Implement what is asked for, or fix what the tests found.
    on_failure:
      retry: 3
      route_to: research-agent
      notify: workflow-agent
      escalate_after: 4
      context: Find out why the implementation fails and what would work.
    routes:
      done: return
      needs-fixes: { retry: 3, then: return }
      blocked: return

  testing-agent:
    run: { process: [node, agents/testing-agent.mjs] }
    dialect: phase-yaml
    writes_tests: true
    phase: Testing
    prompt: |
      Test the work and report what passed and failed in metrics. Never change the code under test.
    on_failure:
      retry: 2
      route_to: implementation-agent
      notify: workflow-agent
      escalate_after: 3
      context: The tests failed. Fix the code; the tests run again afterwards.
      may_route_to: [research-agent]
    routes:
      done: return
      needs-fixes: { retry: 2, then: return }
      blocked: return

  quality-agent:
    run: { process: [node, agents/quality-agent.mjs] }
    dialect: phase-yaml
    phase: QA
    prompt: |
      Check standards, security, performance and accessibility of the whole.
    routes:
      done: return
      needs-fixes: return
      failed: person
      blocked: return
`;
