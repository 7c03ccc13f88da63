import { CLAUDE } from "./clients.ts";
import { realClientTests } from "./real-client.ts";

realClientTests(CLAUDE);
