/** EDI: `Client.make({ …, capabilities: [edi] })` has `ediFiles`, `ediFile` and `ediOutbox` (D18.3). */
import * as ClientCapability from "@dockline/client/ClientCapability"
import type { edi as capability } from "../domain/EdiCapability.ts"

/** The exchange with EDI partners. */
export const edi = ClientCapability.make<typeof capability>()({
  ediFiles: "list GET /v1/edi/files",
  ediFile: "read GET /v1/edi/files/:id",
  ediOutbox: "list GET /v1/edi/outbox"
})
