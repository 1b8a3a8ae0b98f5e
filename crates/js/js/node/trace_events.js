// Node's `trace_events`: nothing is traced.

import { absentAll } from "toolsmith:node_parts/absent";

export const { createTracing } = absentAll("trace_events", ["createTracing"]);
export const getEnabledCategories = () => undefined;
export default { createTracing, getEnabledCategories };
