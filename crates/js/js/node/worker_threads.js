// Node's `worker_threads`: a tool is the main thread, and has no other.

import { absentAll } from "toolsmith:node_parts/absent";
import { structuredClone } from "toolsmith:web/clone";
import { BroadcastChannel, MessageChannel, MessagePort } from "toolsmith:web/messages";

export const { Worker, moveMessagePortToContext, postMessageToThread, receiveMessageOnPort } = absentAll(
  "worker_threads",
  ["Worker", "moveMessagePortToContext", "postMessageToThread", "receiveMessageOnPort"],
);
export const isMainThread = true;
export const isInternalThread = false;
export const parentPort = null;
export const workerData = null;
export const threadId = 0;
export const resourceLimits = {};
export const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");
const data = new Map();
export const getEnvironmentData = (key) => data.get(key);
export const setEnvironmentData = (key, value) =>
  void (value === undefined ? data.delete(key) : data.set(key, structuredClone(value)));
export const markAsUntransferable = () => {};
export const isMarkedAsUntransferable = () => false;
export const markAsUncloneable = () => {};
export { BroadcastChannel, MessageChannel, MessagePort };
export default {
  Worker,
  moveMessagePortToContext,
  postMessageToThread,
  receiveMessageOnPort,
  isMainThread,
  isInternalThread,
  parentPort,
  workerData,
  threadId,
  resourceLimits,
  SHARE_ENV,
  getEnvironmentData,
  setEnvironmentData,
  markAsUntransferable,
  isMarkedAsUntransferable,
  markAsUncloneable,
  BroadcastChannel,
  MessageChannel,
  MessagePort,
};
