/** The answers in the examples of EDI are those of the service: a supplier sends a ship notice, and is told that its goods arrived. */
import { operations } from "@dockline/core/operations/Operations"
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { eventually } from "../../../../test/support/Eventually.ts"
import { edi, operatorRequests } from "../../src/domain/EdiCapability.ts"
import { ediPartnerOperations } from "../../src/domain/EdiPartnerOperations.ts"
import * as EdiServices from "../../src/EdiServices.ts"
import { ediRest, shipNotice } from "../../src/rest/EdiRest.ts"

it("what is exchanged with a supplier, and its partner", async () => {
  const { ask, entriesOf } = await Recording.open([edi], { parts: [ediRest], work: EdiServices.layer })
  const { createEdiPartner, getEdiPartner, listEdiPartners, updateEdiPartner } = ediPartnerOperations
  const operate = { at: "16:00:00", client: "operator" } as const
  const slug = "acme"
  const input = { slug, partner: "supplier" }
  const partner = await ask(createEdiPartner, {
    ...operate,
    input: { slug },
    body: operatorRequests.createEdiPartner.supplier.value
  })
  await ask({ name: "sendEdi", rest: "POST /v1/edi" }, {
    at: "17:00:01.204",
    body: shipNotice,
    contentType: "application/edi-x12"
  })
  const at = "17:00:02"
  const place = { business: "acme", facility: "east" }
  const [file] = await entriesOf<{ readonly id: string }>(edi.operations.ediFiles, { at, input: place })
  const [{ id }] = await entriesOf<{ readonly id: number }>(operations.shipments, {
    at,
    input: { shipmentNumber: "ASN-1" }
  }) as [{ readonly id: number }]
  const answers = {
    ediFiles: file,
    ediFile: await ask(edi.operations.ediFile, { at, input: { id: file!.id } })
  }
  await ask(operations.recordPallet, {
    at: "17:20:00",
    body: {
      eventId: "E-1001",
      ...place,
      dockSlug: "D1",
      direction: "UNLOADING",
      occurredAt: "2026-11-20T17:20:00Z",
      shipmentNumber: "ASN-1",
      labels: [{ name: "lpn", value: "00106141411234567897" }]
    }
  })
  await ask(operations.depart, { at: "17:45:00", input: { id }, body: {} })
  const advice = await eventually(
    "what the supplier is told",
    async () =>
      (await entriesOf(edi.operations.ediOutbox, { at: "17:45:00", input: { business: "acme" } }))[0]
  )
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    answers: { ...answers, ediOutbox: advice },
    operatorAnswers: {
      createEdiPartner: partner,
      listEdiPartners: await ask(listEdiPartners, { ...operate, input: { slug } }),
      getEdiPartner: await ask(getEdiPartner, { ...operate, input }),
      updateEdiPartner: await ask(updateEdiPartner, {
        ...operate,
        input,
        body: operatorRequests.updateEdiPartner.otherSets.value
      })
    }
  })
})
