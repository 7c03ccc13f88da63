import { realClientTests } from "./real-client.ts";

realClientTests({
  name: "OpenCode",
  kind: "acp",
  program: "opencode",
  parameters: ["acp"],
  variables: ["npm_config_offline=true", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"],
  files: {
    "proj/opencode.json": JSON.stringify({
      model: "fake/fake-model",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: "http://127.0.0.1:8787/v1", apiKey: "fake" },
          models: { "fake-model": { limit: { context: 100_000, output: 8000 }, cost: { input: 1, output: 2 } } },
        },
      },
    }),
  },
  startUp: 45_000,
  tellsTokens: false,
  tellsMoney: false,
});
