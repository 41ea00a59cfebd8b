/** The rules for EDI partners, for steps of the exchange, and for the record of exchanged files, for every storage (D18.3). */
import * as Suite from "@dockline/testing/Suite"
import { arrivalCases } from "./EdiArrivalCases.ts"
import { partnerCases } from "./EdiPartnerCases.ts"
import { recordCases } from "./EdiRecordCases.ts"
import { stepCases } from "./EdiStepCases.ts"
import type { EdiStores } from "./EdiWorld.ts"

/** The suite of the store of partners and files. */
export const ediStoreSuite: Suite.Suite<EdiStores> = Suite.make(
  "the store of EDI partners and files",
  (author) => {
    partnerCases(author)
    arrivalCases(author)
    stepCases(author)
    recordCases(author)
  }
)
