/**
 * Examples of what is exchanged with EDI partners.
 */
import { example } from "../access/Operation.ts"
import { answerExamples } from "../operations/DocumentExamples.ts"
import type { EdiPartnerView } from "./EdiPartnerOperations.ts"
import type { EdiFileEntryView, EdiFileView, EdiOutgoingView } from "./EdiView.ts"

const lines = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `${segment}~`).join("\n")

const isa = (sender: string, receiver: string, control: string): string =>
  `ISA*00*          *00*          *ZZ*${sender.padEnd(15)}*ZZ*${
    receiver.padEnd(15)
  }*261120*1700*U*00401*${control}*0*P*>`

/** A ship notice (856) of a supplier, as a file of X12 with one interchange. */
export const shipNotice = lines(
  isa("SUPPLIER", "WAREHOUSE", "000000101"),
  "GS*SH*SUPPLIER*WAREHOUSE*20261120*1700*101*X*004010",
  "ST*856*0001",
  "BSN*00*ASN-1*20261120*1700",
  "HL*1**S",
  "HL*2*1*O",
  "PRF*PO-1",
  "HL*3*2*T",
  "MAN*GM*00106141411234567897",
  "HL*4*3*I",
  "LIN**SK*SKU-1",
  "SN1**12*CA",
  "SE*11*0001",
  "GE*1*101",
  "IEA*1*000000101"
)

/** The acknowledgment (997) that answers {@link shipNotice}: its set is accepted. */
export const acknowledgment = lines(
  isa("WAREHOUSE", "SUPPLIER", "000000001"),
  "GS*FA*WAREHOUSE*SUPPLIER*20261120*1700*1*X*004010",
  "ST*997*0001",
  "AK1*SH*101",
  "AK2*856*0001",
  "AK5*A",
  "AK9*A*1*1*1",
  "SE*6*0001",
  "GE*1*1",
  "IEA*1*000000001"
)

/** The receipt advice (944) that tells the supplier what of {@link shipNotice} passed the dock. */
export const advice = lines(
  isa("WAREHOUSE", "SUPPLIER", "000000002"),
  "GS*RE*WAREHOUSE*SUPPLIER*20261121*1001*2*X*004010",
  "ST*944*0001",
  "W17*F*20261121*1*PO-1*ASN-1",
  "N1*WH*Acme East*ZZ*east",
  "W07*12*CA**SK*SKU-1",
  "N9*LV*106141411234567897",
  "W14*12",
  "SE*7*0001",
  "GE*1*2",
  "IEA*1*000000002"
)

/** Makes the examples of answers to clients: files about the shipment of the examples. */
export const answers = (): {
  readonly ediFiles: EdiFileEntryView
  readonly ediFile: EdiFileView
  readonly ediOutbox: EdiOutgoingView
} => {
  const { business, facility, id } = answerExamples(1).updated.shipment
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
      text: advice
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
