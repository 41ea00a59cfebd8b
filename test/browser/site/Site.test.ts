/** The documentation site in a real browser, from its built files, served by a plain file server. */
import * as Errors from "@dockline/core/values/Errors"
import * as OperatorErrors from "@dockline/core/values/OperatorErrors"
import * as RequestErrors from "@dockline/core/values/RequestErrors"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, Page } from "playwright-core"
import * as Chromium from "../Chromium.ts"

const root = fileURLToPath(new URL("../../../docs/site", import.meta.url))

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** The file of an address: that with its name, or its page. */
const fileOf = (pathname: string): string | undefined =>
  [pathname, `${pathname}.html`, join(pathname, "index.html")]
    .map((path) => join(root, path))
    .find((path) => extname(path) !== "" && existsSync(path))

const server = createServer((request, response) => {
  const file = fileOf(decodeURIComponent(new URL(request.url!, "http://site").pathname))
  if (file === undefined) return void response.writeHead(404).end()
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(
    readFileSync(file)
  )
})

let address: string
let browser: Browser
let context: BrowserContext
let page: Page
let elsewhere: Array<string>
let complaints: Array<string>

beforeAll(async () => {
  assert.isTrue(existsSync(join(root, "index.html")), "There is no site: npm run docs builds it")
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await Chromium.open()
})

afterAll(async () => {
  server.close()
})

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  page = await context.newPage()
  elsewhere = []
  complaints = []
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) {
      elsewhere.push(request.url())
    }
  })
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on("pageerror", (error) => complaints.push(error.message))
})

afterEach(async () => {
  await context.close()
  assert.deepStrictEqual(elsewhere, [], "what the site asks of other hosts")
  assert.deepStrictEqual(complaints, [])
})

/** Opens a page, and waits until its scripts run. */
const open = async (path: string): Promise<void> => {
  await page.goto(`${address}${path}`)
  await page.waitForFunction(() => "__vue_app__" in document.querySelector("#app")!)
}

const pages = (): ReadonlyArray<string> =>
  globSync("**/*.html", { cwd: root, exclude: ["api/**", "404.html"] }).map((file) =>
    `/${file.replace(/(?:index)?\.html$/, "")}`
  )

describe.skipIf(Chromium.isSkipped)("the site of the documentation", () => {
  it("has a page for each error", () => {
    const codes = [Errors, OperatorErrors, RequestErrors].flatMap((errors) => Object.values(errors)).flatMap((
      error
    ) => typeof error === "function" && "code" in error ? [String(error.code)] : [])
    assert.isAbove(codes.length, 50)
    const missing = codes.filter((code) =>
      !pages().includes(`/reference/errors/${code.toLowerCase().replaceAll("_", "-")}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("is found by what one reads in an answer", async () => {
    await open("/")
    await page.getByRole("button", { name: "Search" }).first().click()
    await page.locator("#localsearch-input").fill("HISTORY_EXPIRED")
    await page.locator("#localsearch-list a").first().click()
    await page.waitForURL("**/reference/errors/history-expired*")
    await page.getByRole("heading", { level: 1, name: "HISTORY_EXPIRED" }).waitFor()
  })

  it("is light or dark as the reader's machine, and as the reader says", async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await open("/")
    const light = await background()
    await page.emulateMedia({ colorScheme: "dark" })
    await page.waitForSelector("html.dark")
    const dark = await background()
    assert.notStrictEqual(dark, light)
    await page.getByRole("switch").first().click()
    await page.waitForSelector("html:not(.dark)")
    await page.reload()
    assert.strictEqual(await background(), light)
  })

  it("shows every page, with all that it names, without a network, and fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const wide: Array<string> = []
    for (const path of pages()) {
      await open(path)
      assert.strictEqual(await page.locator("h1").count(), 1, path)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > 390) wide.push(`${path}: ${width} px`)
    }
    assert.deepStrictEqual(wide, [])
  }, 300_000)
})
