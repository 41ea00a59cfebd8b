/** Exceptions: `Client.make({ …, capabilities: [exceptions] })` has `exceptions`, `reportException` and the others (D13.5). */
import type { exceptions as capability } from "@dockline/core/exceptions/ExceptionCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** Exceptions of shipments. */
export const exceptions = ClientCapability.make<typeof capability>()({
  exceptions: "list GET /v1/exceptions",
  shipmentExceptions: "list GET /v1/shipments/:id/exceptions",
  reportException: "write POST /v1/shipments/:id/exceptions",
  resolveException: "write POST /v1/shipments/:id/exceptions/:exceptionId/resolve"
})
