import { realClientTests } from "./real-client.ts";

realClientTests({
  name: "Codex",
  kind: "codex",
  program: "codex",
  variables: ["FAKE_KEY=fake"],
  files: {
    "home/.codex/config.toml": `model = "fake-model"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:8787/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`,
  },
  tellsTokens: true,
  tellsMoney: false,
});
