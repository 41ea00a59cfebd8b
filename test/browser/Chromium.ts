/** A real Chromium, if there is one. */
import Axe from "axe-core"
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
import type { Browser, Page } from "playwright-core"

/** Debian's programs: the one without windows takes a third of the processor time. */
const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

const executablePath = process.env["CHROMIUM_PATH"] ?? installed.find((path) => existsSync(path)) ??
  installed[0]!

const remedy =
  `No Chromium at ${executablePath}. Install it (Debian: apt-get install -y --no-install-recommends \
chromium-headless-shell) or name it in CHROMIUM_PATH.`

const isThere = existsSync(executablePath)

/** Whether browser tests are skipped: only without a browser, and never in CI, which installs one. */
export const isSkipped = !isThere && process.env["CI"] !== "true"

if (isSkipped) console.warn(`Browser tests are skipped. ${remedy}`)

let running: Promise<Browser> | undefined

/** The browser of this process and of all its test files; it ends with the process. Fails if there is none. */
export const open = (): Promise<Browser> => running ??= launch()

const launch = (): Promise<Browser> => {
  if (!isThere) throw new Error(remedy)
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })
}

/** The requests of a page to hosts other than that of an address, and the complaints of its browser. */
export const watch = (page: Page, address: string) => {
  const elsewhere: Array<string> = []
  const complaints: Array<string> = []
  page.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith("data:") && new URL(url).origin !== new URL(address).origin) elsewhere.push(url)
  })
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return { elsewhere, complaints }
}

/** The violations that axe finds on a page, by its usual rules or by these. */
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
