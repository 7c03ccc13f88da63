import { COPILOT } from "./clients.ts";
import { realClientTests } from "./real-client.ts";

realClientTests(COPILOT);
