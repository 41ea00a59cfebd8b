/**
 * Examples of what is exchanged with EDI partners.
 */
import { example } from "@dockline/core/access/Operation"
import { answers as ofContract } from "@dockline/core/operations/ExampleAnswers"
import { receiptAdvice } from "./EdiOutbox.ts"
import type { EdiPartnerView } from "./EdiPartnerOperations.ts"
import { acknowledgment, shipNotice } from "./EdiTexts.ts"
import type { EdiFileEntryView, EdiFileView, EdiOutgoingView } from "./EdiView.ts"

/** Makes the examples of answers to clients: files about the shipment of the examples. */
export const answers = (): {
  readonly ediFiles: EdiFileEntryView
  readonly ediFile: EdiFileView
  readonly ediOutbox: EdiOutgoingView
} => {
  const { business, facility, id } = ofContract.shipment
  const came = {
    id: "4711",
    direction: "IN",
    business,
    facility,
    partner: "supplier",
    control: "000000101",
    at: "2026-11-20T17:00:01.204Z",
    outcome: "ACCEPTED"
  } as const
  return {
    ediFiles: { ...came, kinds: ["856"], setCount: 1, rejectedCount: 0 },
    ediFile: {
      ...came,
      sets: [{
        kind: "856",
        control: "0001",
        group: "SH",
        groupControl: "101",
        outcome: "ACCEPTED",
        number: "ASN-1",
        shipmentId: String(id),
        faults: []
      }],
      faults: [],
      text: shipNotice,
      answer: acknowledgment
    },
    ediOutbox: {
      ...came,
      id: "4712",
      direction: "OUT",
      control: "000000002",
      at: "2026-11-21T15:00:00.412Z",
      outcome: "WAITING",
      kinds: ["944"],
      text: receiptAdvice
    }
  }
}

/** The requests of operators. */
export const operatorRequests = {
  createEdiPartner: {
    supplier: example("A supplier whose ship notices are taken", {
      slug: "supplier",
      facility: "east",
      name: "Supplier Inc.",
      theirs: { qualifier: "ZZ", id: "SUPPLIER" },
      ours: { qualifier: "ZZ", id: "WAREHOUSE" }
    }),
    depositor: example("A depositor that has got files from another system, in tests", {
      slug: "depositor",
      facility: "east",
      name: "Depositor Ltd.",
      theirs: { qualifier: "01", id: "123456789", group: "DEPOSITOR" },
      ours: { qualifier: "ZZ", id: "WAREHOUSE" },
      release: "005010",
      usage: "T",
      takes: ["940"],
      tells: ["945"],
      tellsOf: "ALL",
      nextControl: 4712
    })
  },
  updateEdiPartner: {
    production: example("From tests to production", { usage: "P" }),
    told: example("Other sets", { tells: ["945"] })
  }
} as const

const side = (id: string) => ({ qualifier: "ZZ", id, group: id })

const ediPartner: EdiPartnerView = {
  slug: "supplier",
  business: "acme",
  facility: "east",
  name: "Supplier Inc.",
  theirs: side("SUPPLIER"),
  ours: side("WAREHOUSE"),
  release: "004010",
  usage: "P",
  takes: ["856", "940"],
  tells: ["856", "945", "944"],
  tellsOf: "OWN",
  units: [{ code: "LB", unit: "UNIT" }],
  newPurposes: [],
  nextInterchange: 1,
  nextGroup: 1,
  createdAt: "2026-11-20T16:00:00.000Z"
}

/** The answers to operators. */
export const operatorAnswers = {
  listEdiPartners: { items: [ediPartner], next: null },
  createEdiPartner: ediPartner,
  getEdiPartner: ediPartner,
  updateEdiPartner: { ...ediPartner, tells: ["945"] }
} as const
