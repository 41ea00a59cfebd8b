/** The dashboard in a real browser: how soon it is there, how soon a pallet is on it, and what a board asks for. */
import { chromium } from "playwright-core"
import type { Browser, Page } from "playwright-core"
import type { Seen } from "./Boards.ts"

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell"

/** A browser in which `acme-client` has signed in. */
export interface SignedIn {
  readonly browser: Browser
  readonly baseUrl: string
  readonly state: Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["storageState"]>>
}

/** Starts the browser and signs in. */
export const signIn = async (baseUrl: string): Promise<SignedIn> => {
  const browser = await chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu"]
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${baseUrl}/dashboard/sign-in`)
  await page.getByRole("button", { name: /^acme-client/ }).click()
  await page.waitForURL(`${baseUrl}/dashboard`)
  const state = await context.storageState()
  await context.close()
  return { browser, baseUrl, state }
}

/** The board of Acme East. */
const board = "/dashboard/docks?at=acme/east"

/** Opens the board with nothing in the cache; waits for the shipment of this number at a dock. */
export const openBoard = async ({ baseUrl, browser, state }: SignedIn, number: string) => {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1400, height: 900 } })
  const page = await context.newPage()
  let script = 0
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return
    void response.request().sizes().then(
      ({ responseBodySize }) => (script += responseBodySize),
      () => undefined
    )
  })
  const seen = watch(page)
  const begun = performance.now()
  await page.goto(baseUrl + board)
  await page.getByRole("link", { name: number }).first().waitFor()
  const millis = performance.now() - begun
  return { page, millis, seen, scriptBytes: () => script }
}

/** What a page sends from now on. */
const watch = (page: Page) => {
  let subscription = ""
  let bodies: Array<string> = []
  let since = performance.now()
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      if (String(payload).includes("\"subscribe\"")) subscription = String(payload)
    }))
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/graphql")) {
      bodies.push(request.postData()!)
    }
  })
  return {
    begin: (): void => {
      bodies = []
      since = performance.now()
    },
    end: (): Seen => ({ subscription, bodies, seconds: (performance.now() - since) / 1000 })
  }
}

/** Notes when each pallet came onto the board, by the clock of the machine, with the frame that shows it. */
export const notePallets = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const shown: Record<string, number> = {}
    Object.assign(globalThis, { shown })
    const note = (): void =>
      document.querySelectorAll(".lane-last .mono").forEach(({ textContent }) => {
        if (textContent === null || textContent in shown) return
        shown[textContent] = 0
        requestAnimationFrame(() => (shown[textContent] = Date.now()))
      })
    note()
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true })
  })

/** When each pallet came. */
export const notedPallets = (page: Page): Promise<Readonly<Record<string, number>>> =>
  page.evaluate(() => (globalThis as unknown as { readonly shown: Readonly<Record<string, number>> }).shown)
