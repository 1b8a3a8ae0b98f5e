// Node's `v8`: what can be said of an engine that is another.

import { host } from "toolsmith:kernel";
import { absentAll } from "toolsmith:node_parts/absent";

export const {
  Serializer,
  Deserializer,
  DefaultSerializer,
  DefaultDeserializer,
  GCProfiler,
  startupSnapshot,
  getHeapSnapshot,
  writeHeapSnapshot,
  queryObjects,
  takeCoverage,
  stopCoverage,
  serialize,
  deserialize,
} = absentAll("v8", [
  "Serializer",
  "Deserializer",
  "DefaultSerializer",
  "DefaultDeserializer",
  "GCProfiler",
  "startupSnapshot",
  "getHeapSnapshot",
  "writeHeapSnapshot",
  "queryObjects",
  "takeCoverage",
  "stopCoverage",
  "serialize",
  "deserialize",
]);

export function getHeapStatistics() {
  const used = host.memoryUse();
  const limit = used + host.memoryLeft();
  return {
    total_heap_size: used,
    total_heap_size_executable: 0,
    total_physical_size: used,
    total_available_size: limit - used,
    used_heap_size: used,
    heap_size_limit: limit,
    malloced_memory: used,
    peak_malloced_memory: used,
    does_zap_garbage: 0,
    number_of_native_contexts: 1,
    number_of_detached_contexts: 0,
    total_global_handles_size: 0,
    used_global_handles_size: 0,
    external_memory: 0,
  };
}
export const getHeapSpaceStatistics = () => [];
export const getHeapCodeStatistics = () => ({
  code_and_metadata_size: 0,
  bytecode_and_metadata_size: 0,
  external_script_source_size: 0,
  cpu_profiler_metadata_size: 0,
});
export const setFlagsFromString = () => {};
export const setHeapSnapshotNearHeapLimit = () => {};
export const cachedDataVersionTag = () => 0;

export const promiseHooks = absentAll("v8.promiseHooks", ["createHook", "onInit", "onSettled", "onBefore", "onAfter"]);
export default {
  Serializer,
  Deserializer,
  DefaultSerializer,
  DefaultDeserializer,
  GCProfiler,
  startupSnapshot,
  getHeapSnapshot,
  writeHeapSnapshot,
  queryObjects,
  takeCoverage,
  stopCoverage,
  getHeapStatistics,
  getHeapSpaceStatistics,
  getHeapCodeStatistics,
  setFlagsFromString,
  setHeapSnapshotNearHeapLimit,
  cachedDataVersionTag,
  serialize,
  deserialize,
  promiseHooks,
};
