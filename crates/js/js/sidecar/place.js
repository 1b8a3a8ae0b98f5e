// Goes to the folder the tool works in. The process is started in an empty one, because runtimes read settings of the folder
// they are started in: Bun `bunfig.toml` with its `preload`, and `.env`. Imported before anything else.

import { rmSync } from "node:fs";
import { dirname } from "node:path";

const [place] = process.argv.splice(2, 1);
process.chdir(place);
process.env.PWD = place;
// All of the program is read by now.
rmSync(dirname(process.argv[1]), { recursive: true, force: true });
