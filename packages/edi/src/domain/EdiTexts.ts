/** A file of X12 as an example. */
const lines = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `${segment}~`).join("\n")

/** A ship notice (856) of a supplier, as a file of X12 with one interchange. */
export const shipNotice = lines(
  "ISA*00*          *00*          *ZZ*SUPPLIER       *ZZ*WAREHOUSE      *261120*1700*U*00401*000000101*0*P*>",
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
