/** D18.3: an operator creates a partner, and the page EDI shows the files in both directions, their texts beside their acknowledgments. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "../Chromium.ts"
import { begin, row, site, visit, visitAt, yard } from "./Scene.ts"

const notice = (control: string, number: string, quantity: string): string =>
  [
    `ISA*00*          *00*          *ZZ*BROWSER        *ZZ*WAREHOUSE      *261120*1700*U*00401*${control}*0*P*>`,
    "GS*SH*BROWSER*WAREHOUSE*20261120*1700*1*X*004010",
    "ST*856*0001",
    `BSN*00*${number}*20261120*1700`,
    "HL*1**S",
    "HL*2*1*O",
    `PRF*PO-${number}`,
    "HL*3*2*T",
    `MAN*W*LPN-${number}`,
    "HL*4*3*I",
    "LIN**SK*SKU-1",
    `SN1**${quantity}*CA`,
    "SE*11*0001",
    "GE*1*1",
    `IEA*1*${control}`
  ].map((line) => `${line}~\n`).join("")

const send = (text: string) =>
  site.service.call("acme-client", {
    path: "/v1/edi",
    body: text,
    headers: { "content-type": "application/edi-x12", accept: "application/json" }
  })

describe.skipIf(Chromium.isSkipped)("EDI", () => {
  begin()

  it("D18.3 an operator enters a partner, and its files show what became of them", async () => {
    const operator = await visit("operator")
    await operator.open("/businesses/acme")
    const part = operator.page.getByRole("region", { name: "EDI partners" })
    await operator.page.getByRole("button", { name: "Create an EDI partner" }).press("Enter")
    const form = operator.page.getByRole("form", { name: "Create an EDI partner" })
    await form.getByRole("textbox", { name: "Slug" }).fill("browser")
    await form.getByRole("combobox", { name: "Facility" }).selectOption("Acme East")
    await form.getByRole("textbox", { name: "Name" }).fill("Browser Inc.")
    for (const [side, id] of [["Theirs", "BROWSER"], ["Ours", "WAREHOUSE"]]) {
      const fields = form.getByRole("group", { name: side! })
      await fields.getByRole("textbox", { name: "Qualifier" }).fill("ZZ")
      await fields.getByRole("textbox", { name: "Id" }).fill(id!)
    }
    await form.getByRole("button", { name: "Create" }).press("Enter")
    await part.getByText("ZZ BROWSER").waitFor()
    await operator.leave()

    const taken = await send(notice("000000501", "BRW-1", "5"))
    assert.strictEqual(taken.status, 200, JSON.stringify(taken.body))
    await send(notice("000000502", "BRW-2", "five"))
    const { open, page } = await visitAt("/edi?at=acme/east&partner=browser")
    await row(page, "856 000000501").getByText("Accepted", { exact: true }).waitFor()
    await row(page, "856 000000502").getByText("1 of 1 rejected").waitFor()
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("Rejected")
    await row(page, "856 000000501").waitFor({ state: "detached" })
    await row(page, "856 000000502").getByRole("link").press("Enter")
    await page.getByText("Segment 12 (SN1, 10 of its set), element 2: a number is expected").waitFor()
    const [came, answer] = await page.locator("figure pre").allInnerTexts()
    assert.include(came, "SN1**five*CA~")
    assert.include(answer, "AK4*2*382*6*five~")
    await open("/edi?at=acme/east&partner=browser")
    await row(page, "856 000000501").getByRole("link").press("Enter")
    await page.getByRole("link", { name: "BRW-1" }).press("Enter")
    await page.getByRole("heading", { name: "BRW-1 Expected" }).waitFor()
    // One timeline shows who did what: the file, and the document that it made.
    const history = page.getByRole("region", { name: "What happened" })
    await history.getByRole("listitem").filter({ hasText: "EDI 856 000000501 Accepted" })
      .filter({ hasText: "browser" }).waitFor()

    // The partner is told about the departure without further action.
    const { body } = await site.service.call("acme-client", {
      method: "GET",
      path: "/v1/shipments?business=acme&shipmentNumber=BRW-1"
    })
    const [shipment] = (body as { readonly items: ReadonlyArray<{ readonly id: number }> }).items
    const made = {
      id: shipment!.id,
      number: "BRW-1",
      orderNumber: "PO-BRW-1",
      direction: "INBOUND" as const,
      lpns: ["LPN-BRW-1"]
    }
    await yard.pallets(made, made.lpns)
    await yard.depart(made)
    await open("/edi?at=acme/east&partner=browser&direction=OUT")
    for (let look = 0; look < 50 && await row(page, "944").count() === 0; look++) {
      await page.waitForTimeout(200)
      await open("/edi?at=acme/east&partner=browser&direction=OUT")
    }
    await row(page, "944").getByText("Not acknowledged yet").waitFor()

    // The partner rejects it, and an operator requests it again.
    const outbox = await site.service.call("acme-client", {
      method: "GET",
      path: "/v1/edi/outbox?business=acme&partner=browser"
    })
    const [told] = (outbox.body as {
      readonly items: ReadonlyArray<{ readonly control: string; readonly id: string }>
    }).items
    const ta1 = notice("000000503", "S", "5").replace(
      /GS\*[^]*GE\*1\*1~/,
      `TA1*${told!.control}*261120*1705*R*024~`
    )
    await send(ta1.replace("IEA*1", "IEA*0"))
    const again = await visit("operator")
    await again.open(`/edi/${told!.id}`)
    for (let times = 0; times < 2; times++) {
      await again.page.getByRole("button", { name: "Send again" }).press("Enter")
    }
    await again.page.getByText("What was rejected is sent again").waitFor()
    await again.leave()
  })
})
