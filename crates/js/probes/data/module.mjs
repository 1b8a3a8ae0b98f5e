// Imported by probes.

export default "a module";
