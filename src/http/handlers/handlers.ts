import type { RouteHandlers } from "../handler.ts";
import { CONTROL_HANDLERS } from "./control-handlers.ts";
import { FACT_HANDLERS } from "./fact-handlers.ts";
import { LOG_HANDLERS } from "./log-handlers.ts";
import { RUN_HANDLERS } from "./run-handlers.ts";
import { submitRequest } from "./submit-handoff.ts";

/** One for every route of the table. */
export const HANDLERS: RouteHandlers = {
  ...RUN_HANDLERS,
  ...CONTROL_HANDLERS,
  ...FACT_HANDLERS,
  ...LOG_HANDLERS,
  "submit-handoff": submitRequest,
};
