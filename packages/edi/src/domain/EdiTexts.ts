/** Files of X12 as examples. */
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
