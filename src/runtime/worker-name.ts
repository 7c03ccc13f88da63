import type { Machine } from "../ports/machine.ts";

const names = new WeakMap<Machine, string>();

/** Who holds a lease: this process and no other, whatever the machine is called. */
export function workerName(machine: Machine): string {
  let name = names.get(machine);
  if (name === undefined) {
    name = `${process.pid}-${Math.round(machine.clock.now() - process.uptime() * 1000)}-${machine.clock.id().slice(0, 8)}`;
    names.set(machine, name);
  }
  return name;
}
