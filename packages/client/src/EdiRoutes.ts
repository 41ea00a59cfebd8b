/** EDI: `Client.make({ …, capabilities: [edi] })` has `ediFiles`, `ediFile` and `ediOutbox` (D18.3). */
import type { edi as capability } from "@dockline/core/edi/EdiCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** What is exchanged with EDI partners. */
export const edi = ClientCapability.make<typeof capability>()({
  ediFiles: "list GET /v1/edi/files",
  ediFile: "read GET /v1/edi/files/:id",
  ediOutbox: "list GET /v1/edi/outbox"
})
