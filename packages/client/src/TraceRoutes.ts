/** The trace of goods: `Client.make({ …, capabilities: [trace] })` has `trace` (D13.14). */
import type { trace as capability } from "@dockline/core/trace/TraceCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** The trace of goods. */
export const trace = ClientCapability.make<typeof capability>()({ trace: "list GET /v1/trace" })
