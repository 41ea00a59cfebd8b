/** The server, the browser and the yard for all tests of a file, and helpers to find things on pages. */
import { afterAll, afterEach, assert, beforeAll } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { Browser, Locator, Page } from "playwright-core"
import * as Site from "../../support/Site.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "./Visitor.ts"
import { Yard } from "./Yard.ts"

export let site: Site.Site
export let browser: Browser
export let yard: Yard

/** Starts everything before the tests of a group, and runs their preparation. */
export const begin = (prepare: () => Promise<void> = async () => {}): void => {
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([Site.start(), Chromium.open()])
    yard = new Yard(site.service)
    await prepare()
  }, 120_000)
  afterEach(async () => {
    const left = await Promise.allSettled(visitors.splice(0).map(({ leave }) => leave()))
    for (const each of left) if (each.status === "rejected") throw each.reason
  })
  afterAll(async () => {
    await site?.stop()
  })
}

/** The visitors with open windows; after each test they leave. */
const visitors: Array<Visitor.Visitor> = []

/** Opens a window, signed in unless the client is `null`. */
export const visit = async (
  client?: string | null,
  options?: Parameters<typeof Visitor.enter>[3]
): Promise<Visitor.Visitor> => {
  const visitor = await Visitor.enter(browser, site.baseUrl, client, options)
  visitors.push(visitor)
  return visitor
}

/** Opens a window at a page; resolves once its heading is there. */
export const visitAt = async (path: string, ...who: Parameters<typeof visit>): Promise<Visitor.Visitor> => {
  const visitor = await visit(...who)
  await visitor.open(path)
  await visitor.page.getByRole("heading", { level: 1 }).first().waitFor()
  return visitor
}

/** The table that a page downloads. */
export const downloaded = async (page: Page): Promise<{ readonly name: string; readonly text: string }> => {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).press("Enter")
  ])
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") }
}

/** Changes something as an operator, and returns the result. */
export const operate = async (
  path: string,
  body: object,
  method = "POST"
): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await site.service.call("operator", { method, path: `/v1/operator/${path}`, body })
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body
}

/** Removes an entity that an operator made. */
export const remove = (path: string): Promise<unknown> =>
  site.service.call("operator", { method: "DELETE", path: `/v1/operator/${path}` })

/** Makes an endpoint, by default for messages about pallets. */
export const endpointOf = (fields: object): Promise<Readonly<Record<string, unknown>>> =>
  operate("webhook-endpoints", {
    messageTypes: ["PALLET_EVENT"],
    authentication: { type: "none" },
    enabled: true,
    ...fields
  })

/** The row with a text. */
export const row = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text })

/** The text of the focused element. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() =>
    document.activeElement === document.body ? "nothing" : document.activeElement!.textContent
  )
