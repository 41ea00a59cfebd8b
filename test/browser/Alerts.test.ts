/**
 * D26.6 in a real browser: for each alert rule, an operator sees its notices, the reasons for failures, and its quiet hours, and tests it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Chromium from "./Chromium.ts"
import { begin, operate, visitAt } from "./dashboard/Scene.ts"

const path = "businesses/acme/alert-rules/shift"

describe.skipIf(Chromium.isSkipped)("the pages of alerts", { timeout: 120_000 }, () => {
  begin(async () => {
    await operate(path, {
      facility: "east",
      kinds: ["DETENTION", "EDI_REJECTED", "URGENT_EXCEPTION"],
      channel: "EMAIL",
      to: ["shift@example.com"],
      quietFrom: "00:00",
      quietTo: "23:59"
    }, "PUT")
  })

  it("D26.6 say what a rule tells, whether it is quiet, what became of a test, and why it was not sent", async () => {
    const { open, page } = await visitAt(`/${path}`, "operator", { bypassCSP: true })
    const main = page.locator("main")
    await main.getByText("EDI_REJECTED").first().waitFor()
    await page.getByText("Quiet until").waitFor()
    const reply = page.waitForResponse((response) => response.url().endsWith(`${path}/test`))
    await page.getByRole("button", { name: "Test an alert rule" }).click()
    await page.getByRole("button", { name: "Test an alert rule now" }).click()
    assert.strictEqual((await reply).status(), 202)
    // The server of this test has no mail server, and reports that where people look.
    await open(`/${path}`)
    await main.getByText("the service has no mail server").first().waitFor()
    await open(`/${path}/notices`)
    await main.getByText("Test of alert rule shift").first().waitFor()
    await main.getByText("the service has no mail server").first().waitFor()
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      for (const address of [`/${path}`, `/${path}/notices`]) {
        await open(address)
        await main.getByText("Test of alert rule shift").first().waitFor()
        assert.deepStrictEqual(await Chromium.violations(page), [], `${address} ${colorScheme}`)
      }
    }
    await page.context().close()
  })

  it("D26.1 an operator adds a rule on the page of the business, by its slug", async () => {
    const { page } = await visitAt("/businesses/globex", "operator")
    await page.getByRole("button", { name: "Create or replace an alert rule" }).click()
    const form = page.getByRole("form", { name: "Create or replace an alert rule" })
    await form.getByRole("button", { name: "Save" }).click()
    await form.locator("[aria-invalid='true'], :invalid").first().waitFor()
    await form.getByRole("textbox", { name: "Slug" }).fill("night")
    await form.getByRole("combobox", { name: "Facility" }).selectOption("Globex Main")
    await form.getByRole("checkbox", { name: "DETENTION" }).check()
    await form.getByRole("combobox", { name: "Channel" }).selectOption("EMAIL")
    await form.getByRole("textbox", { name: "To", exact: true }).fill("night@example.com")
    await form.getByRole("button", { name: "Save" }).click()
    await page.getByRole("region", { name: "Alert rules" }).getByRole("link", { name: "night" }).click()
    await page.getByText("night@example.com").waitFor()
  })
})
