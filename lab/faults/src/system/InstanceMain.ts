/** An instance of the bundled server as it is, but for its clock, which the harness sets. */
import "./InstanceClock.ts"
import "../../../../packages/server/src/main.ts"

// From here on it stops as D12.3 has it when it is told to, instead of being ended by the system.
process.send?.("loaded", () => {})
