/** D25: a packing list is dropped on its page, mapped, previewed with each fault at its cell, corrected, and sent with progress. */
import { assert, describe, it } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"
import { xlsxType } from "../../packages/packing-lists/src/domain/PackingList.ts"
import { partLimits } from "../../packages/packing-lists/src/intake/PackingLists.ts"
import { textRow, xlsx } from "../../packages/packing-lists/test/Xlsx.ts"
import * as Chromium from "./Chromium.ts"
import { begin, row, visitAt } from "./dashboard/Scene.ts"

const list = (quantity: string): string =>
  [
    "Order;SSCC;Article;Qty;Unit;MHD;Kommentar",
    `BR-PL-1;000123;SKU-1;${quantity};CASE;30.11.2027;x`,
    "BR-PL-2;000124;SKU-1;2;CASE;;"
  ].join("\n")

const file = (text: string, encoding: BufferEncoding = "utf8") => ({
  name: "list.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(text, encoding)
})

/** The violations that axe finds at the width of a desktop and of a phone. */
const violations = async (page: Page): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    all.push(...await Chromium.violations(page))
  }
  return all
}

const reading = (page: Page): Locator => page.getByRole("region", { name: /^How .* is read$/ })

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
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Send 1 order without faults" }).press("Enter")
    const done = page.getByRole("region", { name: "What list.csv did" })
    await row(page, "BR-PL-1").getByText("Has faults, not sent").waitFor()
    await row(page, "BR-PL-2").getByText("Created", { exact: true }).waitFor()
    await page.getByText("2 of 2 orders sent.").waitFor()
    await done.getByRole("link", { name: "BR-PL-2" }).press("Enter")
    await page.getByRole("heading", { name: "BR-PL-2 Expected" }).waitFor()
  })

  it("D25.7 how a partner's files are read is kept, and found again by their columns", async () => {
    const { page, shown } = await visitAt("/packing-lists?at=acme/east")
    const input = page.locator("input[type=file]")
    const columns = page.getByRole("region", { name: "Columns" })
    await input.setInputFiles(file("Beleg;Palettennr;Art;Stueck;ME\nBR-PL-3;000125;SKU-1;1;CASE\n"))
    await columns.waitFor()
    for (
      const [column, field] of [["Beleg", "Order number"], ["Art", "SKU"], ["Stueck", "Quantity"], [
        "ME",
        "Unit of quantity"
      ]]
    ) {
      await columns.getByRole("combobox", { name: `Field of ${column}` }).selectOption(field!)
    }
    await columns.getByRole("combobox", { name: "Direction" }).selectOption("Inbound")
    await page.getByRole("button", { name: "Send all 1 order" }).waitFor()
    await reading(page).getByRole("textbox", { name: "Keep for partner" }).fill("Müller & Söhne")
    await reading(page).getByRole("button", { name: "Keep", exact: true }).press("Enter")
    await page.getByText("Kept as muller-sohne.").waitFor()
    await shown()
    assert.deepStrictEqual(await violations(page), [])

    await page.reload()
    await input.setInputFiles(file("ME;Stueck;Palettennr;Art;Beleg\nCASE;1;000126;SKU-1;BR-PL-4\n"))
    await row(page, "BR-PL-4").getByText("Would be created").waitFor()
    const partner = reading(page).getByRole("combobox", { name: "Read as for" })
    assert.strictEqual(await partner.inputValue(), "muller-sohne")
    await reading(page).getByRole("button", { name: "Delete muller-sohne" }).click()
    await reading(page).getByRole("button", { name: "Delete muller-sohne now" }).click()
    await page.getByText("muller-sohne is deleted.").waitFor()
    assert.isTrue(await partner.isDisabled())
  })

  it("D25.1 charset, separator and header row are chosen where a file needs it", async () => {
    const { page, provoked } = await visitAt("/packing-lists?at=acme/east")
    const text =
      "Größe der Liste: 1, vom Montag\nOrder|Pallet|SKU|Qty|Einheit|Größe\nBR-PL-5|000127|SKU-1|1|CASE|groß\n"
    await page.locator("input[type=file]").setInputFiles(file(text, "latin1"))
    await page.getByText("it is not in UTF-8").waitFor()
    provoked(/status of 400/)
    await page.getByRole("combobox", { name: "Characters are written in" }).selectOption(
      "Windows-1252, ISO-8859-1"
    )
    await reading(page).getByRole("combobox", { name: "Columns are apart by" }).selectOption("bars: |")
    await reading(page).getByRole("combobox", { name: "Names of columns are in row" }).selectOption("2")
    const columns = page.getByRole("region", { name: "Columns" })
    await columns.getByText("groß").waitFor()
    assert.strictEqual(await columns.getByRole("combobox", { name: "Field of Pallet" }).inputValue(), "lpn")
    await columns.getByRole("combobox", { name: "Direction" }).selectOption("Outbound")
    await row(page, "BR-PL-5").getByText("Would be created").waitFor()
  })

  it("D25.1 a sheet is chosen where a file has several", async () => {
    const { page } = await visitAt("/packing-lists?at=acme/east")
    const rows = textRow(1, "Order", "Pallet", "SKU", "Qty", "Unit") +
      textRow(2, "BR-PL-6", "000128", "SKU-1", "1", "CASE")
    await page.locator("input[type=file]").setInputFiles({
      name: "list.xlsx",
      mimeType: xlsxType,
      buffer: Buffer.from(xlsx({ Notes: textRow(1, "nothing"), List: rows }))
    })
    await reading(page).getByRole("combobox", { name: "Sheet" }).selectOption("List")
    const columns = page.getByRole("region", { name: "Columns" })
    await columns.getByRole("combobox", { name: "Field of Pallet" }).waitFor()
    await columns.getByRole("combobox", { name: "Direction" }).selectOption("Inbound")
    await row(page, "BR-PL-6").getByText("Would be created").waitFor()
    assert.strictEqual(await page.getByRole("combobox", { name: "Characters are written in" }).count(), 0)
  })

  it("D25.6 where a part fails, what was sent and what was not is shown, and the rest is sent from there", async () => {
    const { page, provoked, shown } = await visitAt("/packing-lists?at=acme/east")
    const orders = Array.from({ length: partLimits.shipments + 2 }, (_, at) => `BR-PART-${at}`)
    const lines = orders.map((order, at) => `${order};0009${at};SKU-1;1;CASE`)
    await page.locator("input[type=file]").setInputFiles(
      file(["Order;SSCC;SKU;Qty;Unit", ...lines].join("\n"))
    )
    const columns = page.getByRole("region", { name: "Columns" })
    await columns.getByRole("combobox", { name: "Direction" }).selectOption("Inbound")
    const sends: Array<string> = []
    await page.route(/packing-lists\?.*dryRun=false/, async (route) => {
      const from = new URL(route.request().url()).searchParams.get("from") ?? ""
      sends.push(from)
      if (sends.length === 2) await route.abort()
      else await route.continue()
    })
    await page.getByRole("button", { name: `Send all ${orders.length} orders` }).press("Enter")
    const rest = page.getByRole("region", { name: "Not sent yet" })
    await rest.getByText(orders.slice(partLimits.shipments).join(", ")).waitFor()
    await row(page, "BR-PART-49").getByText("Created", { exact: true }).first().waitFor()
    await page.getByText(`${partLimits.shipments} of ${orders.length} orders sent.`).waitFor()
    provoked(/ERR_FAILED/)
    await shown()
    assert.deepStrictEqual(await violations(page), [])
    await rest.getByRole("button", { name: "Send the other 2 orders" }).press("Enter")
    await page.getByText(`${orders.length} of ${orders.length} orders sent.`).waitFor()
    await row(page, orders.at(-1)!).getByText("Created", { exact: true }).first().waitFor()
    assert.strictEqual(await rest.count(), 0)
    // The first part was sent only once.
    assert.deepStrictEqual(sends.map((from) => from === ""), [true, false, false])
    assert.strictEqual(sends[1], sends[2])
  })
})
