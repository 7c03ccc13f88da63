import type { Packet, PacketLine, SectionTitle } from "../packet.ts";

/** How a dialect prints a packet. Whatever it prints of agents' words stands on a line that names its source. */
export interface PacketLayout {
  /** The whole packet, as it stands in a prompt; empty when there is nothing to tell. */
  render(packet: Packet): string;
  /** One line of it, for its price. */
  line(title: SectionTitle, line: PacketLine): string;
}
