import { realClientTests } from "./real-client.ts";

realClientTests({
  name: "Gemini CLI",
  kind: "acp",
  program: "gemini",
  parameters: ["--acp", "--skip-trust", "-m", "gemini-3-pro"],
  variables: [
    "GEMINI_API_KEY=fake",
    "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787",
    "GEMINI_CLI_NO_RELAUNCH=true",
    "GEMINI_CLI_TRUST_WORKSPACE=true",
  ],
  files: {
    "home/.gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
    }),
  },
  startUp: 25_000,
  // Gemini 0.61.0 names a session's file after the minute: loaded within the minute of its start, the
  // session is written over and lost ("No previous sessions found").
  rest: 61_000,
  tellsTokens: false,
  tellsMoney: false,
});
