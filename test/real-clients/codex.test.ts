import { CODEX } from "./clients.ts";
import { realClientTests } from "./real-client.ts";

realClientTests(CODEX);
