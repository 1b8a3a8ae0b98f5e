// Probe of node:diagnostics_channel.

import { probe } from "./probe.mjs";
import dc from "node:diagnostics_channel";

export default probe("node:diagnostics_channel", "channel, publish, subscribe", async (pi, signal) => {
  const heard = [];
  const channel = dc.channel("probe");
  channel.subscribe((message) => heard.push(message));
  channel.publish(1);
  return [heard, channel.hasSubscribers];
}, [[1], true]);
