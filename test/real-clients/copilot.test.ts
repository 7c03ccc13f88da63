import { realClientTests } from "./real-client.ts";

realClientTests({
  name: "Copilot CLI",
  kind: "acp",
  program: "copilot",
  parameters: ["--acp"],
  variables: [
    "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:8787/v1",
    "COPILOT_PROVIDER_API_KEY=fake",
    "COPILOT_MODEL=fake-model",
    "COPILOT_OFFLINE=true",
  ],
  startUp: 20_000,
  tellsTokens: false,
  tellsMoney: false,
});
