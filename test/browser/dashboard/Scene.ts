/** The server, the browser and the yard that serve all tests of a file, and what those look for on pages. */
import { afterAll, beforeAll } from "@effect/vitest"
import Axe from "axe-core"
import type { Browser, Locator, Page } from "playwright-core"
import * as Site from "../../support/Site.ts"
import * as Chromium from "../Chromium.ts"
import * as Visitor from "./Visitor.ts"
import { Yard } from "./Yard.ts"

export let site: Site.Site
export let browser: Browser
export let yard: Yard

/** Starts all of it before the tests of a group, and prepares what is theirs. */
export const begin = (prepare: () => Promise<void> = async () => {}): void => {
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([Site.start(), Chromium.open()])
    yard = new Yard(site.service)
    await prepare()
  }, 120_000)
  afterAll(async () => {
    await site?.stop()
  })
}

/** Opens a window, signed in unless the client is `null`. */
export const visit = (client?: string | null, options?: Parameters<typeof Visitor.enter>[3]) =>
  Visitor.enter(browser, site.baseUrl, client, options)

/** The row that holds a text. */
export const row = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text })

/** The text of what has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() =>
    document.activeElement === document.body ? "nothing" : document.activeElement!.textContent
  )

/** What axe finds wrong on a page, by its rules or by these. */
export const violations = async (
  page: Page,
  rules?: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(Axe.source)
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { readonly axe: typeof Axe }
    const { violations } = await axe.run(rules === undefined ? {} : { runOnly: [...rules] })
    return violations.map(({ id, nodes }) =>
      `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`
    )
  }, rules)
}
