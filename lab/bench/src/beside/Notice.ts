/** Ship notices (856) of an EDI partner. */
import type { Request } from "../Http.ts"
import { place } from "../intake/Documents.ts"

/** The partner in the form in which an operator creates it. */
export const partner = {
  slug: "supplier",
  facility: place.facility,
  name: "Supplier",
  theirs: { qualifier: "ZZ", id: "SUPPLIER" },
  ours: { qualifier: "ZZ", id: "WAREHOUSE" }
}

/** A file with one notice of a new order, each of whose pallets holds one SKU; its number is unique below 10^9. */
export const noticeOf = (token: string, number: number, pallets: number): Request => {
  const control = String(number).padStart(9, "0")
  const set = [
    "ST*856*0001",
    `BSN*00*ASN-${number}*20261120*0700`,
    "HL*1**S",
    "DTM*017*20261221*0830",
    "HL*2*1*O",
    `PRF*PO-${number}`,
    ...Array.from({ length: pallets }, (_, at) => [
      `HL*${2 * at + 3}*2*T`,
      `MAN*W*LPN-${number}-${at}`,
      `HL*${2 * at + 4}*${2 * at + 3}*I`,
      `LIN**SK*SKU-${10_000 + at}`,
      "SN1**24*CA"
    ]).flat()
  ]
  const segments = [
    `ISA*00*          *00*          *ZZ*${"SUPPLIER".padEnd(15)}*ZZ*${"WAREHOUSE".padEnd(15)}` +
    `*261120*0700*U*00401*${control}*0*P*>`,
    `GS*SH*SUPPLIER*WAREHOUSE*20261120*0700*${Number(control)}*X*004010`,
    ...set,
    `SE*${set.length + 1}*0001`,
    `GE*1*${Number(control)}`,
    `IEA*1*${control}`
  ]
  return {
    method: "POST",
    path: "/v1/edi",
    headers: {
      "content-type": "application/edi-x12",
      accept: "application/edi-x12",
      authorization: `Bearer ${token}`
    },
    body: Buffer.from(segments.map((segment) => `${segment}~\n`).join(""))
  }
}
