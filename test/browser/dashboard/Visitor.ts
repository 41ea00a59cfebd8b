/** A person who uses the dashboard in a real browser, with the complaints of the browser. */
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core"
import { assert } from "vitest"
import * as Chromium from "../Chromium.ts"

/** A step takes milliseconds; a failing test should report its step before its own time limit. */
const patience = 60_000

/** A person with a browser. */
export interface Visitor {
  readonly page: Page
  /** Removes a complaint of the console that the test has caused; fails if there is none. */
  readonly provoked: (complaint: RegExp) => void
  /** Goes to a page of the dashboard. */
  readonly open: (path: string) => Promise<void>
  /** Goes to a page within the open one, as a link does; resolves once the page shows its data. */
  readonly follow: (path: string) => Promise<void>
  /** Waits until the page shows its data. */
  readonly shown: () => Promise<void>
  /** Closes the window, unless it is closed; fails if the browser complained, or a request left the service. */
  readonly leave: () => Promise<void>
}

/** Signs in by the button of a demo client. */
export const signIn = async (page: Page, client: string): Promise<void> => {
  await page.getByRole("button", { name: client, exact: false }).filter({ hasText: new RegExp(`^${client}`) })
    .click()
}

/** How often the clock of a page is stopped until pending requests are answered. */
const stops = 10

/**
 * Fails unless these elements are on the page before its installed clock has advanced by this much. The clock only moves here, so that the
 * load of the machine does not count.
 */
export const within = async (
  page: Page,
  millis: number,
  ...awaited: ReadonlyArray<Locator>
): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const waits = awaited.map((each) => each.waitFor({ timeout: patience / stops }))
    return (await Promise.allSettled(waits)).every(({ status }) => status === "fulfilled")
  }
  for (let stop = 0; stop < stops; stop++) {
    await page.clock.runFor(millis / stops)
    if (await isThere()) return page.clock.resume()
  }
  assert.fail(`Not on the page within ${millis} ms: ${awaited.join(", ")}`)
}

/** Stops the installed clock of a page. */
export const stopClock = async (page: Page): Promise<void> =>
  page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))

/** The cookies of clients that have already signed in, by service. */
const signedIn = new Map<string, Promise<StorageState>>()

type StorageState = Exclude<BrowserContextOptions["storageState"], string | undefined>

/** Signs a client in for all windows that it opens. */
const cookiesOf = async (browser: Browser, baseUrl: string, client: string): Promise<StorageState> => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${baseUrl}/dashboard/sign-in`)
  await signIn(page, client)
  await page.waitForURL(`${baseUrl}/dashboard`)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Opens a window, signed in unless the client is `null`. */
export const enter = async (
  browser: Browser,
  baseUrl: string,
  client: string | null = "acme-client",
  options: BrowserContextOptions = {}
): Promise<Visitor> => {
  const key = `${baseUrl} ${client}`
  if (client !== null && !signedIn.has(key)) signedIn.set(key, cookiesOf(browser, baseUrl, client))
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    storageState: await signedIn.get(key) ?? { cookies: [], origins: [] },
    ...options
  })
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  const { complaints, elsewhere } = Chromium.watch(page, baseUrl)
  const asked = new Set<Request>()
  let isClosed = false
  context.on("close", () => (isClosed = true))
  page.on("request", (request) => {
    if (request.resourceType() === "fetch") asked.add(request)
  })
  page.on("requestfinished", (request) => void asked.delete(request))
  page.on("requestfailed", (request) => void asked.delete(request))
  const shown = async (): Promise<void> => {
    // A view begins its requests after its first frame.
    await page.evaluate(() =>
      new Promise<void>((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
      )
    )
    while (asked.size > 0) {
      const [request] = asked
      await (await request!.response())?.finished()
      asked.delete(request!)
      await page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve)))
    }
  }
  return {
    page,
    provoked: (complaint) => {
      const at = complaints.findIndex((each) => complaint.test(each))
      assert.isAtLeast(at, 0, `no complaint of ${String(complaint)}`)
      complaints.splice(at, 1)
    },
    open: async (path) => void (await page.goto(`${baseUrl}/dashboard${path}`)),
    follow: async (path) => {
      await page.evaluate((address) => {
        history.pushState(null, "", address)
        dispatchEvent(new PopStateEvent("popstate"))
      }, `/dashboard${path}`)
      await shown()
    },
    shown,
    leave: async () => {
      if (isClosed) return
      await context.close()
      assert.deepStrictEqual(elsewhere, [])
      assert.deepStrictEqual(complaints, [])
    }
  }
}
