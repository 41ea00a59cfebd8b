/** An instance of the bundled server, unchanged except for its clock, which the harness sets. */
import "./InstanceClock.ts"
import "../../../../packages/server/src/main.ts"

// From here on SIGTERM stops it as in D12.3; before, the signal would end it at once.
process.send?.("loaded", () => {})
