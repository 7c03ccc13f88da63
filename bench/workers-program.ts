import { pgBossDriver } from "../src/drivers/pg-boss/pg-boss-driver.ts";
import { openPostgresLog } from "../src/stores/postgres/open-postgres-log.ts";
import { machineOn } from "./step-machine.ts";

/** A worker whose agents answer at once; ends with its channel to the benchmark. */
const [url = "", schema = "", capacity = "1"] = process.argv.slice(2);
const log = openPostgresLog({ url, schema });
const ports = Object.assign(machineOn(log), { log });
const queue = { url, schema: `${schema}_jobs`, prefix: `${schema}/1` };
const driver = pgBossDriver(ports, { queue, capacity: Number(capacity), pollTime: 50 });
process.on("disconnect", () => void driver.stop().then(() => log.close()));
process.send?.("ready");
