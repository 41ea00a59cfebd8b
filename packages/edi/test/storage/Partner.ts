/** A partner of a business, for tests of the storage. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { EdiStore } from "@dockline/edi/domain/EdiStore"
import { unique } from "@dockline/testing/generators/Given"

/** A partner at the facility `east`, who is told about receipts of its own orders. */
export const partnerAt = (business: string): Parameters<(typeof EdiStore)["Service"]["create"]>[0] => ({
  business,
  facility: "east",
  slug: "supplier",
  name: "Supplier",
  theirs: { qualifier: "ZZ", id: unique("THEIRS"), group: "THEIRS" },
  ours: { qualifier: "ZZ", id: "OURS", group: "OURS" },
  release: "004010",
  usage: "P",
  takes: ["856"],
  tells: ["944"],
  tellsOf: "OWN",
  units: [],
  newPurposes: [],
  nextInterchange: 1,
  nextGroup: 1,
  now: Timestamp.fromMillis(Date.now())
})
