// Node's `cluster`: a tool is one of a kind.

import { absentAll } from "toolsmith:node_parts/absent";

export const { fork, setupPrimary, setupMaster, disconnect, Worker } = absentAll("cluster", [
  "fork",
  "setupPrimary",
  "setupMaster",
  "disconnect",
  "Worker",
]);
export const isPrimary = true;
export const isMaster = true;
export const isWorker = false;
export const workers = {};
export const settings = {};
export const schedulingPolicy = 2;
export const SCHED_NONE = 1;
export const SCHED_RR = 2;
export default {
  fork,
  setupPrimary,
  setupMaster,
  disconnect,
  Worker,
  isPrimary,
  isMaster,
  isWorker,
  workers,
  settings,
  schedulingPolicy,
  SCHED_NONE,
  SCHED_RR,
};
