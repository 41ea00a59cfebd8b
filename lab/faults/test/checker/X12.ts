/** X12 as the service writes it. */
/** An interchange of one set that a partner gets. */
export const interchange = (control: number, group: number, kind: string, ...set: ReadonlyArray<string>) =>
  [
    `ISA*00*          *00*          *ZZ*WAREHOUSE      *ZZ*PARTNER        *261128*0700*U*00401*${
      String(control).padStart(9, "0")
    }*0*P*>`,
    `GS*RE*WAREHOUSE*PARTNER*20261128*0700*${group}*X*004010`,
    `ST*${kind}*0001`,
    ...set,
    `SE*${set.length + 2}*0001`,
    `GE*1*${group}`,
    `IEA*1*${String(control).padStart(9, "0")}`
  ].map((segment) => `${segment}~\n`).join("")

/** The answer to the notice of a control number, under the numbers of ours. */
export const answer = (notice: number, control = 1, says = "A") => ({
  acknowledgment: interchange(
    control,
    control,
    "997",
    `AK1*SH*${notice}`,
    "AK2*856*0001",
    `AK5*${says}`,
    `AK9*${says}*1*1*1`
  )
})
