import { realClientTests } from "./real-client.ts";

realClientTests({
  name: "Claude Code",
  kind: "claude",
  program: "claude",
  variables: [
    "ANTHROPIC_BASE_URL=http://127.0.0.1:8787",
    "ANTHROPIC_API_KEY=fake",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
    "DISABLE_AUTOUPDATER=1",
  ],
  tellsTokens: true,
  tellsMoney: true,
});
