/**
 * Notifications of the browser, for readers who chose them: each once, even with two tabs and after a reload. The test records the
 * notifications that pages make.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BrowserContext, Page, Request } from "playwright-core"
import { eventually } from "../../support/Eventually.ts"
import * as Chromium from "../Chromium.ts"
import { Customer } from "../dashboard/Customer.ts"
import { begin, endpointOf, operate, remove, site, visitAt, yard } from "../dashboard/Scene.ts"
import { stopClock } from "../dashboard/Visitor.ts"

/** Records the notifications of the pages of a context. */
const noteNotices = async (context: BrowserContext): Promise<Array<string>> => {
  const texts: Array<string> = []
  await context.exposeBinding("noteNotice", (_, text: string) => void texts.push(text))
  await context.addInitScript(() => {
    const page = globalThis as unknown as {
      Notification: typeof Notification
      noteNotice(text: string): void
    }
    // A Chromium without windows shows none, and says "denied" here whatever permission it has granted.
    page.Notification = class extends Notification {
      static override get permission() {
        return "granted" as const
      }
      constructor(title: string, options?: NotificationOptions) {
        super(title, options)
        page.noteNotice(`${title}: ${options?.body}`)
      }
    }
  })
  return texts
}

const choose = async (page: Page, option: "On" | "Off"): Promise<void> => {
  await page.locator("summary[aria-label^='Account']").click()
  await page.getByRole("group", { name: "Notifications" }).getByRole("button", { name: option, exact: true })
    .click()
}

/** Counts the requests of the pages of a context; waits until none is under way. */
const countRequests = (context: BrowserContext) => {
  const pending = new Set<Request>()
  context.on("request", (request) => {
    if (request.resourceType() === "fetch") pending.add(request)
  })
  context.on("requestfinished", (request) => void pending.delete(request))
  context.on("requestfailed", (request) => void pending.delete(request))
  return async (): Promise<void> => {
    for (let isQuiet = false; !isQuiet;) {
      for (const request of pending) {
        // A request of a closed page gets no answer.
        await request.response().then((response) => response?.finished()).catch(() => undefined)
        pending.delete(request)
      }
      // A page may react to an answer with another request. The stopped clock of the page does not affect a message channel.
      for (const page of context.pages()) {
        await page.evaluate(() =>
          new Promise<void>((resolve) => {
            const { port1, port2 } = new MessageChannel()
            port1.addEventListener("message", () => resolve())
            port1.start()
            port2.postMessage(0)
          })
        )
      }
      isQuiet = pending.size === 0
    }
  }
}

/** A reader who has chosen notifications, on a page with a stopped clock and without pending requests. */
const readerAt = async (path: string, client?: string) => {
  const { page } = await visitAt(path, client)
  const context = page.context()
  await context.grantPermissions(["notifications"], { origin: site.baseUrl })
  await context.clock.install()
  const texts = await noteNotices(context)
  const quiet = countRequests(context)
  await page.reload()
  await choose(page, "On")
  await page.getByText("Wrong pallets, short departures").waitFor()
  /** Stops the clock of a page once it shows this state of its connection, or of one without a state. */
  const stop = async (each: Page, state = "Live"): Promise<void> => {
    if (state !== "") await each.getByText(state, { exact: true }).waitFor()
    await quiet()
    await stopClock(each)
  }
  /** Lets rounds of watching pass until a condition holds: each round reads everything new. */
  const afterRounds = async (
    pages: ReadonlyArray<Page>,
    holds: () => boolean,
    what: string
  ): Promise<void> => {
    for (let round = 0; round < 30 && !holds(); round++) {
      for (const each of pages) {
        await each.clock.runFor(10_000)
        await quiet()
      }
    }
    assert.isTrue(holds(), what)
  }
  return { page, context, texts, stop, afterRounds }
}

describe.skipIf(Chromium.isSkipped)("notifications", { timeout: 120_000 }, () => {
  begin()

  it("D14.5 tell of wrong pallets, short departures and high exceptions, each once, with two tabs and after a reload", async () => {
    const { afterRounds, context, page, stop, texts } = await readerAt("/messages?at=acme/east")
    assert.deepStrictEqual(texts.splice(0), [
      "Notifications are on: Dockline tells you here what needs attention."
    ])
    const other = await context.newPage()
    await other.goto(`${site.baseUrl}/dashboard/documents?at=acme/east`)
    await other.getByRole("heading", { name: "Documents", level: 1 }).waitFor()
    const pages = [page, other]
    await stop(page)
    await stop(other, "")
    const shipment = await yard.shipment({ pallets: 2 })
    await yard.arrive(shipment)
    await yard.pallets(shipment, [shipment.lpns[0]!, "00340123459999990777"])
    await yard.except(shipment, { priority: "HIGH", kind: "DAMAGED", description: "Wet" })
    await yard.except(shipment, { priority: "LOW", description: "Label torn" })
    await yard.depart(shipment)
    await afterRounds(pages, () => texts.length === 3, "three are shown")
    assert.match(texts[0]!, /^Wrong pallet at dock D1 · Acme East: 00340123459999990777/)
    assert.strictEqual(texts[1], `High exception: Wet · Acme East: Shipment ${shipment.number}`)
    assert.strictEqual(texts[2], `Left 1 pallet short · Acme East: Shipment ${shipment.number}`)
    // Neither the other tab nor a reload shows them again; the next one is shown once.
    await page.clock.resume()
    await page.reload()
    await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor()
    await page.close()
    const late = await yard.shipment({ pallets: 2 })
    await yard.arrive(late)
    await yard.pallets(late, late.lpns.slice(0, 1))
    await yard.depart(late)
    await afterRounds([other], () => texts.length >= 4, "the fourth is shown by the tab that is left")
    assert.deepStrictEqual(texts.slice(3), [`Left 1 pallet short · Acme East: Shipment ${late.number}`])
    await context.close()
  })

  it("D14.5 say that nothing is watched when their code cannot be loaded", async () => {
    const { page, provoked } = await visitAt("/messages?at=acme/east")
    const context = page.context()
    await context.grantPermissions(["notifications"], { origin: site.baseUrl })
    await noteNotices(context)
    await page.reload()
    await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor()
    await page.route(/\/part-\w+\.js/, (route) => route.abort())
    await choose(page, "On")
    await page.getByText("The code for notifications could not be loaded").waitFor()
    provoked(/Failed to load resource/)
  })

  it("D14.5 tell operators of an endpoint that fails, once", async () => {
    const { afterRounds, context, page, stop, texts } = await readerAt("/webhooks", "operator")
    texts.length = 0
    await stop(page, "")
    const customer = await Customer.start()
    const { id } = await endpointOf({ business: "globex", baseUrl: customer.baseUrl })
    const shipment = await yard.shipment({ business: "globex", facility: "main" })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1), "D1", "main", "globex")
    await afterRounds([page], () => texts.length > 0, "the endpoint is shown")
    assert.deepStrictEqual(texts, [`A webhook endpoint fails: ${customer.baseUrl} · globex`])
    await remove(`webhook-endpoints/${String(id)}`)
    customer.close()
    await context.close()
  })

  it("D14.5 tell operators that an endpoint was disabled again, although it was enabled only between two checks", async () => {
    const { afterRounds, context, page, stop, texts } = await readerAt("/webhooks", "operator")
    texts.length = 0
    await stop(page, "")
    const customer = await Customer.start()
    customer.closedStatus = 410
    const { id } = await endpointOf({ business: "globex", baseUrl: customer.baseUrl })
    const path = `webhook-endpoints/${String(id)}`
    const disabled = async (): Promise<void> => {
      await eventually("the endpoint is disabled", async () => {
        const { body } = await site.service.call("operator", { method: "GET", path: `/v1/operator/${path}` })
        return body["disabledReason"] === "GONE"
      })
    }
    const shipment = await yard.shipment({ business: "globex", facility: "main" })
    await yard.pallets(shipment, shipment.lpns.slice(0, 1), "D1", "main", "globex")
    await disabled()
    await afterRounds([page], () => texts.length > 0, "the endpoint is shown")
    await operate(path, { enabled: true }, "PATCH")
    await disabled()
    await afterRounds([page], () => texts.length > 1, "the endpoint is shown again")
    const text = `A webhook endpoint was disabled: ${customer.baseUrl} · globex`
    assert.deepStrictEqual(texts, [text, text])
    await remove(path)
    customer.close()
    await context.close()
  })

  it("D14.5 tell of a place though another cannot be read, and read no more than what is news", async () => {
    const { afterRounds, context, page, stop, texts } = await readerAt("/messages?at=acme/east")
    await stop(page)
    const begins: Array<string> = []
    const refusal = { errors: [{ message: "away", extensions: { code: "STORAGE_UNAVAILABLE" } }] }
    await page.route("**/graphql", async (route) => {
      const { variables: { input = {} } = {} } = route.request().postDataJSON() as {
        readonly variables?: { readonly input?: { readonly facilitySlug?: string; readonly since?: string } }
      }
      if (input.since === undefined) return route.continue()
      begins.push(input.since)
      return input.facilitySlug === "east" ? route.fulfill({ json: refusal }) : route.continue()
    })
    // The reader was away from one place, and the clock of the device was ahead at the other.
    await page.evaluate((hours) => {
      for (const [place, ahead] of [["acme/east", -hours], ["acme/west", hours]] as const) {
        const since = new Date(Date.now() + ahead * 3_600_000).toISOString()
        localStorage.setItem(`dockline-notices ${place}`, JSON.stringify({ since }))
      }
    }, 9)
    begins.length = 0
    texts.length = 0
    const shipment = await yard.shipment({ facility: "west", pallets: 2 })
    await yard.except(shipment, { priority: "HIGH", kind: "DAMAGED", description: "Torn" })
    await afterRounds([page], () => texts.length > 0, "the exception at the other facility is shown")
    assert.deepStrictEqual(texts, [`High exception: Torn · Acme West: Shipment ${shipment.number}`])
    const now = await page.evaluate(() => Date.now())
    assert.isAtLeast(begins.length, 2)
    for (const begin of begins) assert.isBelow(Math.abs(Date.parse(begin) - now), 15 * 60_000)
    await context.close()
  })

  it("D14.5 that the browser shows for no page say so", async () => {
    const { page } = await visitAt("/docks")
    const context = page.context()
    await context.addInitScript(() => {
      const page = globalThis as unknown as { Notification: unknown }
      page.Notification = class {
        static readonly permission = "granted"
        constructor() {
          throw new TypeError("Illegal constructor")
        }
      }
    })
    await page.reload()
    await choose(page, "On")
    await page.getByText("This browser shows no notifications of pages").waitFor()
    const on = page.getByRole("group", { name: "Notifications" }).getByRole("button", { name: "On" })
    assert.strictEqual(await on.getAttribute("aria-pressed"), "false")
    await context.close()
  })

  it("D14.5 that the browser blocks say what to do", async () => {
    const { page } = await visitAt("/docks")
    await page.context().clearPermissions()
    await choose(page, "On")
    await page.getByText(
      "The browser blocks notifications of this page. Allow them in the settings of this site"
    ).waitFor()
    const on = page.getByRole("group", { name: "Notifications" }).getByRole("button", { name: "On" })
    assert.strictEqual(await on.getAttribute("aria-pressed"), "false")
  })
})
