/** 003: tasks with dependencies, one implementer for each. */
export const tasks = `# One implementer per task. A task starts when the tasks it depends on are done, the most urgent first.
# Tasks come with the start of a run, or stand here:
# tasks:
#   - { id: task-1, name: Parse prices, priority: high }
#   - { id: task-2, name: Show prices, depends_on: [task-1] }
baton: 1
name: tasks
description: Work through tasks in the order of their dependencies and priorities
start: implementer
parallel: 2
budget: { wall: 1d, agent: 8h, steps: 200 }
asks: { timeout: 24h, silence: remind }

agents:
  implementer:
    run: { process: [node, agents/implementer.mjs] }
    dialect: task-yaml
    writes_tests: true
    prompt: |
      Do the one task you are given. Read what the tasks before it found out: patterns to follow, traps to avoid.
      Write your handoff for whoever comes next: files, patterns, gotchas, open questions, next steps.
    routes:
      done: end
      needs-fixes: { retry: 3, then: person }
      failed: person
`;
