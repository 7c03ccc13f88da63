/** 004: a feature in phases, with checkpoints and blocked routing by domain. */
export const feature = `# A feature in phases: architecture, implementation, testing; first the backend, then the frontend.
# Give a task start: frontend-lead when it has no backend part.
# Outputs belong into the feature directory, whose MANIFEST.yaml is kept up to date.
baton: 1
name: feature
description: Design, implement and test a feature, with checkpoints and a table for blocked work
# A person accepts the design of each lead; supervised asks before every step.
mode: semi
start: backend-lead
budget: { wall: 7d, agent: 4h, steps: 80 }
asks: { timeout: 24h, silence: remind }
loop: { limit: 5, blocking: [critical, high], stuck: person, capped: person }

# Why work is blocked, then the domain of the blocked agent. Whoever helps returns to it.
blocked:
  security_concern: { backend: backend-security, frontend: frontend-security, default: person }
  architecture_decision: { backend: backend-lead, frontend: frontend-lead, default: person }
  test_failures: { backend: backend-tester, frontend: frontend-tester, default: person }
  missing_requirements: person
  out_of_scope: person
  unknown: person
  default: person

agents:
  backend-lead:
    run: { process: [node, agents/backend-lead.mjs] }
    dialect: output-json
    phase: architecture
    approve: after
    prompt: |
      Design the backend part: look up the patterns in use, decide, and write down why. Save it in architecture.md.
    routes:
      done: backend-developer
      blocked: person

  backend-developer:
    run: { process: [node, agents/backend-developer.mjs] }
    dialect: output-json
    phase: implementation
    prompt: |
      Implement the backend part as designed, with a build that passes.
      When you are blocked, say why and what you tried; the workflow decides who helps.
    routes:
      done: backend-tester

  backend-tester:
    run: { process: [node, agents/backend-tester.mjs] }
    dialect: output-json
    writes_tests: true
    phase: testing
    prompt: |
      Plan and write the tests of the backend part and run them all.
      Tests that fail because of the code are status blocked, reason test_failures, with one issue each.
    routes:
      done:
        choose: [frontend-lead, end]
        otherwise: end
      needs-fixes: { loop: backend-developer }
      blocked:
        - { when: "blocked_reason == 'test_failures'", loop: backend-developer }
        - person

  backend-security:
    run: { process: [node, agents/backend-security.mjs] }
    dialect: output-json
    phase: implementation
    prompt: |
      Judge the security concern, decide how it is resolved, and say so in security-assessment.md.
    routes:
      done: return
      blocked: person

  frontend-lead:
    run: { process: [node, agents/frontend-lead.mjs] }
    dialect: output-json
    phase: architecture
    approve: after
    prompt: |
      Design the frontend part: look up the patterns in use, decide, and write down why. Save it in architecture.md.
    routes:
      done: frontend-developer
      blocked: person

  frontend-developer:
    run: { process: [node, agents/frontend-developer.mjs] }
    dialect: output-json
    phase: implementation
    prompt: |
      Implement the frontend part as designed, with a build that passes.
      When you are blocked, say why and what you tried; the workflow decides who helps.
    routes:
      done: frontend-tester

  frontend-tester:
    run: { process: [node, agents/frontend-tester.mjs] }
    dialect: output-json
    writes_tests: true
    phase: testing
    prompt: |
      Plan and write the tests of the frontend part and run them all.
      Tests that fail because of the code are status blocked, reason test_failures, with one issue each.
    routes:
      done: end
      needs-fixes: { loop: frontend-developer }
      blocked:
        - { when: "blocked_reason == 'test_failures'", loop: frontend-developer }
        - person

  frontend-security:
    run: { process: [node, agents/frontend-security.mjs] }
    dialect: output-json
    phase: implementation
    prompt: |
      Judge the security concern, decide how it is resolved, and say so in security-assessment.md.
    routes:
      done: return
      blocked: person
`;
