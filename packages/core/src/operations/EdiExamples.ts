/**
 * Examples of what is exchanged with EDI partners.
 */
import type { EdiFileEntryView, EdiFileView, EdiOutgoingView } from "../edi/EdiView.ts"
import type { ShipmentView } from "../shipment/View.ts"

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

/** The examples of the operations, at the place of a shipment. */
export const examplesOf = (
  { business, facility, id }: ShipmentView
): {
  readonly entry: EdiFileEntryView
  readonly file: EdiFileView
  readonly outgoing: EdiOutgoingView
} => {
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
    entry: { ...came, kinds: ["856"], setCount: 1, rejectedCount: 0 },
    file: {
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
    outgoing: {
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
