// The library's own types are made without compiled validators, which take most of the time to load it. Types that use
// them are compiled with all that they refer to: `keywords/keywords.js` sets the configuration back.

import { configureSchema } from "@ark/schema/config";

configureSchema({ jitless: true });

export * from "./config.whole.js";
