/**
 * D13.4, D13.5: problems of shipments are shown wherever the shipments appear, in a real browser: missing pallets after departure, and
 * unresolved exceptions.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Locator } from "playwright-core"
import { eventually } from "../../support/Eventually.ts"
import * as Chromium from "../Chromium.ts"
import { begin, downloaded, focused, row, visit, visitAt, yard } from "./Scene.ts"

/** The tones of the badges in a place, and whether each has an icon beside its words. */
const badges = (place: Locator): Promise<ReadonlyArray<string>> =>
  place.locator(".badge").evaluateAll((all) =>
    all.map((badge) =>
      `${badge.textContent} ${badge.getAttribute("data-tone")}${badge.querySelector("svg") ? " sign" : ""}`
    )
  )

describe.skipIf(Chromium.isSkipped)("what is wrong with shipments", () => {
  begin()

  it("D13.4 a shipment that has left short is red with a word and a sign on the board, the wall, in lists, found, and on its page", async () => {
    const [short, whole] = [await yard.shipment({ pallets: 4 }), await yard.shipment({ pallets: 1 })]
    await yard.pallets(short, [...short.lpns.slice(0, 3), "stowaway"])
    await yard.depart(short)
    await yard.pallets(whole, whole.lpns)
    await yard.depart(whole)
    const wrong = ["1 missing bad sign", "1 unexpected warn sign"]
    const { open, page } = await visit(undefined, { viewport: { width: 1920, height: 1080 } })
    for (const kiosk of ["", "&kiosk=1"]) {
      await open(`/docks?at=acme/east${kiosk}`)
      const left = page.getByRole("region", { name: "Left today" }).getByRole("listitem")
      const line = left.filter({ hasText: short.number })
      await line.getByText("1 missing").waitFor()
      assert.deepStrictEqual(await badges(line), wrong)
      assert.deepStrictEqual(await badges(left.filter({ hasText: whole.number })), [])
    }
    for (
      const path of ["/shipments?at=acme/east&status=departed", `/shipments?at=acme/west&q=${short.number}`]
    ) {
      await open(path)
      await row(page, short.number).getByText("1 missing").waitFor()
      assert.deepStrictEqual(await badges(row(page, short.number)), ["Departed none", ...wrong])
    }
    await open("/shipments?at=acme/east&status=departed")
    await row(page, whole.number).waitFor()
    assert.deepStrictEqual(await badges(row(page, whole.number)), ["Departed ok"])
    await open(`/shipments/${short.id}`)
    const title = page.getByRole("heading", { level: 1 })
    await title.getByText("1 missing").waitFor()
    assert.deepStrictEqual(await badges(title), ["Departed none", ...wrong])
  })

  it("D13.5 an open exception is on the board and the wall at its shipment, and on a page of its own, where it is resolved by keyboard", async () => {
    const [docked, next] = [
      await yard.shipment({ facility: "west" }),
      await yard.shipment({ facility: "west", fields: { expectedArrivalAt: "2026-01-01T00:00:00Z" } })
    ]
    await yard.arrive(docked)
    const elsewhere = await yard.shipment()
    await yard.except(docked, { priority: "LOW", description: "Wet wrap" })
    await yard.except(docked, { priority: "HIGH", description: "Two cartons crushed" })
    await yard.except(next, { priority: "LOW", description: "Driver calls" })
    await yard.except(elsewhere, { priority: "LOW", description: "At the other place" })
    const { leave, open, page } = await visit(undefined, { viewport: { width: 1920, height: 1080 } })
    for (const kiosk of ["", "&kiosk=1"]) {
      await open(`/docks?at=acme/west${kiosk}`)
      const lane = page.locator(".lane").filter({ hasText: docked.number })
      await lane.getByText("2 exceptions").waitFor()
      assert.deepStrictEqual(await badges(lane), ["2 exceptions, 1 high priority bad sign"])
      const line = page.getByRole("region", { name: "Expected next" }).getByRole("listitem")
        .filter({ hasText: next.number })
      assert.deepStrictEqual(await badges(line), ["1 exception warn sign"])
    }
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: /^3 exceptions, 1 high priority/ }).press("Enter")
    await page.getByRole("heading", { name: "Exceptions" }).waitFor()
    const entries = page.getByRole("main").getByRole("listitem")
    await entries.first().waitFor()
    const texts = await entries.allInnerTexts()
    assert.deepStrictEqual(
      ["Two cartons crushed", "Driver calls", "Wet wrap"].map((text, at) => texts[at]!.includes(text)),
      [true, true, true]
    )
    const urgent = entries.first()
    await urgent.getByText("Open, high priority").waitFor()
    await urgent.getByText("by tower").waitFor()
    await urgent.getByRole("link", { name: docked.number }).waitFor()
    assert.lengthOf((await downloaded(page)).text.trim().split("\r\n"), 4)
    await urgent.getByRole("button", { name: /^Resolve/ }).press("Enter")
    await page.keyboard.type("Packed anew")
    await page.keyboard.press("Enter")
    await page.getByText("Two cartons crushed").waitFor({ state: "detached" })
    await page.getByRole("status").getByText(`The exception of ${docked.number} is resolved.`).waitFor()
    assert.strictEqual(await focused(page), "Exceptions")
    await page.getByRole("button", { name: "Resolved", exact: true }).press("Enter")
    await page.getByText("by acme-client: Packed anew").waitFor()
    await page.getByRole("button", { name: "All of Acme" }).press("Enter")
    await page.getByRole("button", { name: "Open", exact: true }).press("Enter")
    await entries.filter({ hasText: "At the other place" }).getByText("Acme East").waitFor()
    await leave()
    const reader = await visit("operator")
    await reader.open("/exceptions?at=acme/west")
    await reader.page.getByText("Driver calls").waitFor()
    assert.strictEqual(await reader.page.getByRole("button", { name: /^Resolve / }).count(), 0)
  })

  it("D13.5 a missing pallet is reported from its discrepancy or by its LPN, and the focus goes to the entry", async () => {
    const shipment = await yard.shipment({ pallets: 3 })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    await yard.depart(shipment)
    const [, missing, other] = shipment.lpns
    const { page } = await visitAt(`/shipments/${shipment.id}`)
    await page.getByRole("button", { name: `Report ${missing}` }).press("Enter")
    const form = page.getByRole("form", { name: "Report an exception" })
    assert.strictEqual(await form.getByLabel("What is wrong").inputValue(), "SHORT")
    assert.strictEqual(await form.getByRole("combobox", { name: "About" }).inputValue(), missing)
    await form.getByLabel("Description").press("Enter")
    const region = page.getByRole("region", { name: "Exceptions" })
    const line = region.getByRole("listitem").filter({ hasText: missing! })
    await line.getByText("Expected, and has not passed").waitFor()
    assert.include(await focused(page), missing!)
    await region.getByRole("status").getByText("The exception is reported.").waitFor()
    await region.getByRole("button", { name: "Report an exception" }).press("Enter")
    const about = form.getByRole("combobox", { name: "About" })
    const suggested = await page.locator("datalist option").evaluateAll((all) =>
      all.map((option) => (option as HTMLOptionElement).value)
    )
    assert.sameMembers(suggested, [...shipment.lpns])
    await page.keyboard.press("Tab")
    await form.getByRole("button", { name: "Cancel" }).press("Enter")
    assert.strictEqual(await focused(page), "Report an exception")
    await page.keyboard.press("Enter")
    await about.fill(other!)
    await form.getByLabel("Description").fill("Left behind")
    await page.keyboard.press("Enter")
    const second = region.getByRole("listitem").filter({ hasText: "Left behind" })
    await second.getByText(other!).waitFor()
    await second.getByRole("button", { name: "Resolve" }).press("Enter")
    await page.keyboard.type("Found")
    await page.keyboard.press("Enter")
    await second.getByText("by acme-client: Found").waitFor()
    assert.include(await focused(page), "Left behind")
  })

  it("D13.5 a report that is being written stays when another exception is resolved", async () => {
    const shipment = await yard.shipment()
    await yard.except(shipment, { priority: "LOW", description: "Wet wrap" })
    const { page } = await visitAt(`/shipments/${shipment.id}`)
    const region = page.getByRole("region", { name: "Exceptions" })
    await region.getByRole("button", { name: "Report an exception" }).press("Enter")
    const description = region.getByLabel("Description")
    await description.fill("Two cartons crushed")
    await region.getByRole("button", { name: "Resolve Wet wrap" }).press("Enter")
    const note = region.getByLabel("How it was resolved")
    await note.fill("Wrapped anew")
    for (const prose of [description, note]) {
      assert.isTrue(await prose.evaluate((field) => (field as HTMLInputElement).spellcheck))
    }
    await note.press("Enter")
    await region.getByText("by acme-client: Wrapped anew").waitFor()
    assert.strictEqual(await description.inputValue(), "Two cartons crushed")
    await description.press("Enter")
    await region.getByRole("listitem").filter({ hasText: "Two cartons crushed" }).waitFor()
    await description.waitFor({ state: "detached" })
    await region.getByText("by acme-client: Wrapped anew").waitFor()
  })

  it("D14.2 what a shipment is and how far it is does not wait for its items, which are read again only once a document has come", async () => {
    const shipment = await yard.shipment({ pallets: 3 })
    const { open, page } = await visit()
    const held: Array<() => void> = []
    const asked: Array<string> = []
    let read = 0
    await page.route("**/api/graphql", async (route) => {
      const sent = route.request().postData() ?? ""
      asked.push(/(?:query|mutation) (\w+)/.exec(sent)?.[1] ?? "")
      if (sent.includes("\"withItems\":true")) {
        read++
        if (read === 1) await new Promise<void>((resolve) => held.push(resolve))
      }
      await route.continue()
    })
    await open(`/shipments/${shipment.id}`)
    await page.getByText("0 of 3 pallets have passed").waitFor()
    await eventually("the second request is held", () => held.length === 1)
    // All other data of the shipment comes with them, so that nothing moves.
    await page.getByText("Loading…", { exact: true }).waitFor()
    assert.deepStrictEqual(asked, ["Shipment", "Belongings"])
    assert.strictEqual(
      await page.getByRole("button", { name: "Print" }).getAttribute("aria-disabled"),
      "true"
    )
    await page.getByText("Live", { exact: true }).waitFor()
    held[0]!()
    await row(page, shipment.lpns[0]!).getByText("Not yet").waitFor()
    await yard.pallets(shipment, shipment.lpns.slice(0, 1))
    await row(page, shipment.lpns[0]!).getByText("Unloaded").waitFor()
    assert.strictEqual(read, 1)
    await yard.items(shipment, shipment.lpns.slice(0, 2))
    await yard.pallets(shipment, shipment.lpns.slice(1, 2))
    await row(page, shipment.lpns[1]!).getByText("Unloaded").waitFor()
    await page.locator(".items").getByText(shipment.lpns[2]!).waitFor({ state: "detached" })
    assert.strictEqual(read, 2)
  })
})
