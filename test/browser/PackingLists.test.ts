/** D25: a packing list is dropped on its page, mapped, previewed with each fault at its cell, mended, and sent with progress. */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "./Chromium.ts"
import { begin, row, visitAt } from "./dashboard/Scene.ts"

const list = (quantity: string): string =>
  [
    "Order;SSCC;Article;Qty;Unit;MHD;Kommentar",
    `BR-PL-1;000123;SKU-1;${quantity};CASE;30.11.2027;x`,
    "BR-PL-2;000124;SKU-1;2;CASE;;"
  ].join("\n")

const file = (text: string) => ({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(text) })

describe.skipIf(Chromium.isSkipped)("packing lists", () => {
  begin()

  it("D25.6 a file is mapped, previewed, mended and sent", async () => {
    const { page, shown } = await visitAt("/packing-lists?at=acme/east")
    const input = page.locator("input[type=file]")
    await input.setInputFiles(file(list("zwei")))
    const columns = page.getByRole("region", { name: "Columns" })
    await columns.waitFor()
    assert.strictEqual(await columns.getByRole("combobox", { name: "Field of SSCC" }).inputValue(), "lpn")
    assert.strictEqual(await columns.getByRole("combobox", { name: "Field of Kommentar" }).inputValue(), "")
    const orders = page.getByRole("region", { name: "What list.csv would do" })
    await orders.getByText("no column has direction").waitFor()
    await columns.getByRole("combobox", { name: "Direction" }).selectOption("Inbound")
    await columns.getByRole("combobox", { name: "Dates are written as" }).selectOption("30.11.2026")
    await row(page, "BR-PL-1").getByText("D2, Qty: “zwei” is no number").waitFor()
    await row(page, "BR-PL-2").getByText("Would be created").waitFor()
    await columns.getByRole("combobox", { name: "Field of Kommentar" }).selectOption("Description")
    await shown()
    assert.deepStrictEqual(await Chromium.violations(page), [])
    await page.getByRole("button", { name: "Send 1 order without faults" }).press("Enter")
    const done = page.getByRole("region", { name: "What list.csv did" })
    await row(page, "BR-PL-1").getByText("Has faults, not sent").waitFor()
    await row(page, "BR-PL-2").getByText("Created", { exact: true }).waitFor()
    await page.getByText("2 of 2 orders sent.").waitFor()
    await done.getByRole("link", { name: "BR-PL-2" }).press("Enter")
    await page.getByRole("heading", { name: "BR-PL-2 Expected" }).waitFor()
  })
})
