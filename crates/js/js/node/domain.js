// Node's `domain`, which Node itself advises against.

import { absentAll } from "toolsmith:node_parts/absent";

export const { create, createDomain, Domain } = absentAll("domain", ["create", "createDomain", "Domain"]);
export const active = null;
export default { create, createDomain, Domain, active };
