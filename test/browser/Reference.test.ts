/** The interactive reference in a real browser, as an integrator uses it for the first time. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import * as Service from "../MemoryService.ts"
import * as Chromium from "./Chromium.ts"

let service: Service.Service
let browser: Browser
let context: BrowserContext
let page: Page
let watched: ReturnType<typeof Chromium.watch>

/** A step takes milliseconds; a failing test should report its step before its own time limit. */
const patience = 60_000

const operation = (method: string, path: string): Locator =>
  page.locator(".opblock").filter({ has: page.locator(`[data-path="${path}"]`) }).filter({ hasText: method })

const expand = async (block: Locator): Promise<void> => {
  await block.locator(".opblock-summary-control").click()
  await block.getByRole("button", { name: "Execute" }).waitFor()
}

/** Processing the whole description takes 50 million calls, and showing an operation six million. */
const mostCalls = 15_000_000

/** The number of calls of the page's functions during some work: a measure that does not depend on the machine. */
const callsOf = async (work: () => Promise<void>): Promise<number> => {
  const session = await context.newCDPSession(page)
  await session.send("Profiler.enable")
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  await work()
  const { result } = await session.send("Profiler.takePreciseCoverage")
  await session.detach()
  return result.flatMap(({ functions }) => functions).reduce(
    (sum, { ranges }) => sum + (ranges[0]?.count ?? 0),
    0
  )
}

/** Enters a value for the page's requests, in place of an earlier one. */
const authorize = async (value: string): Promise<void> => {
  await page.locator(".auth-wrapper").getByRole("button", { name: "Authorize" }).click()
  const dialog = page.locator(".dialog-ux")
  const bearer = dialog.locator(".auth-container").filter({ hasText: "Bearer <ACCESS_TOKEN>" })
  const logout = bearer.getByText("Logout")
  if (await logout.isVisible()) await logout.click()
  await bearer.getByRole("textbox").fill(value)
  await bearer.getByRole("button", { name: "Apply credentials" }).click()
  await logout.waitFor()
  await dialog.getByText("Close", { exact: true }).first().click()
}

/** Executes a request and reads the answer from the page. */
const execute = async (block: Locator): Promise<{ readonly status: string; readonly body: string }> => {
  await block.getByRole("button", { name: "Execute" }).click()
  const answer = block.locator(".live-responses-table tbody tr").first()
  await answer.waitFor()
  return {
    status: (await answer.locator(".response-col_status").innerText()).trim(),
    body: await answer.locator(".response-col_description pre").first().innerText()
  }
}

/** The parts of a document to which a part refers, directly and indirectly. */
const namedBy = (part: unknown, document: OpenApi, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name!)) continue
    found.add(name!)
    namedBy(document.components.schemas[name!], document, found)
  }
  return found
}

interface OpenApi {
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** Reduces the page's description to some operations: at each step it processes the whole description, for seconds. */
const describeOnly = (...paths: ReadonlyArray<string>): Promise<unknown> =>
  page.route(/openapi\.json$/, async (route) => {
    const response = await route.fetch()
    const document = await response.json() as OpenApi
    const kept = Object.fromEntries(paths.map((path) => [path, document.paths[path]]))
    const schemas = Object.fromEntries(
      Array.from(namedBy([kept, { ...document.components, schemas: {} }], document), (name) => [
        name,
        document.components.schemas[name]
      ])
    )
    const json = { ...document, paths: kept, components: { ...document.components, schemas } }
    await route.fulfill({ response, json })
  })

const clear = (block: Locator): Promise<void> => block.getByRole("button", { name: "Clear" }).click()

/** Opens a new page, and records its requests and complaints. */
const openPage = async (): Promise<void> => {
  context = await browser.newContext()
  context.setDefaultTimeout(patience)
  page = await context.newPage()
  watched = Chromium.watch(page, service.url)
}

/** Checks that no request left the service, and that the page and its policy agree. */
const checkPage = (): void => {
  assert.deepStrictEqual(watched, { elsewhere: [], complaints: [] })
}

const fetchToken = async (): Promise<string> => {
  const response = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Service.tokenRequest)
  })
  const { access_token: token } = await response.json() as { readonly access_token: string }
  return token
}

/** Fails for any violation that axe finds in dark and light. */
const checkReadable = async (): Promise<void> => {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(colorScheme === "dark" ? "html.dark-mode" : "html:not(.dark-mode)").waitFor()
    // Colours change over some tenths of a second.
    await page.evaluate(async () => {
      while (document.getAnimations().length > 0) {
        await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
      }
    })
    const found = await Chromium.violations(page, ["wcag2a", "wcag2aa"])
    assert.deepStrictEqual(found, [], colorScheme)
  }
}

describe.skipIf(Chromium.isSkipped)("the interactive reference in a browser", () => {
  beforeAll(async () => {
    service = await Service.start()
    browser = await Chromium.open()
  })

  afterAll(async () => {
    await service?.stop()
  })

  describe("one thing after another on a page", () => {
    beforeAll(async () => {
      await openPage()
      await page.goto(`${service.url}/v1/docs`)
      await operation("POST", "/v1/documents").waitFor()
    })

    afterAll(() => context.close())

    afterEach(checkPage)

    it("shows the operations in groups, tokens first, and how to begin", async () => {
      assert.strictEqual(page.url(), `${service.url}/v1/docs/`)
      assert.strictEqual(await page.title(), "Dockline: interactive reference")
      const groups = await page.locator(".opblock-tag").evaluateAll((tags) =>
        tags.map((tag) => tag.getAttribute("data-tag"))
      )
      assert.deepStrictEqual([groups[0], groups.at(-1)], ["Access tokens", "webhooks"])
      assert.include(await page.locator(".information-container").innerText(), "First steps")
      // The search is on the first screen, and the description of all operations is one click away.
      const search = page.locator(".operation-filter-input")
      assert.isBelow((await search.boundingBox())!.y, 720)
      const rules = page.locator(".information-container details")
      assert.isFalse(await rules.getByRole("heading", { name: "Retries" }).isVisible())
      await rules.locator("summary").click()
      await rules.getByRole("heading", { name: "Retries" }).waitFor()
      await rules.locator("summary").click()
    })

    it("signs in by the keyboard alone, and says that a secret is wrong", async () => {
      const button = page.locator(".auth-wrapper").getByRole("button", { name: "Authorize" })
      const client = page.locator(".auth-container").filter({ hasText: "client_secret" })
      await button.press("Enter")
      const focused = (selector: string): Promise<unknown> =>
        page.waitForFunction((selector) => document.activeElement?.matches(selector), selector)
      await focused("#client_id_clientCredentials")
      await page.keyboard.type("acme-client")
      await page.keyboard.press("Tab")
      await page.keyboard.type("wrong")
      await page.keyboard.press("Enter")
      await client.getByText("Not signed in: unknown client, or wrong secret").waitFor()
      assert.match(watched.complaints.pop()!, /status of 401/)
      await page.keyboard.press("Control+A")
      await page.keyboard.type("acme-client-secret")
      await page.keyboard.press("Enter")
      await client.getByText("Logout").click()
      await page.keyboard.press("Escape")
      await focused(".scheme-container .auth-wrapper > .authorize")
    })

    it("can be read by everybody, in light and dark", async () => {
      await checkReadable()
    })

    for (const [what, value] of [["no", undefined], ["a wrong", "Bearer not-a-token"]] as const) {
      it(`shows 401 and its problem with ${what} token`, async () => {
        const documents = operation("POST", "/v1/documents")
        if (value === undefined) assert.isBelow(await callsOf(() => expand(documents)), mostCalls)
        else await authorize(value)
        const { status, body } = await execute(documents)
        assert.include(status, "401")
        assert.include(body, "missing or invalid bearer token")
        // A browser reports an answer of 401 on its console, however the page handles it.
        assert.lengthOf(watched.complaints, 1)
        assert.match(watched.complaints.pop()!, /status of 401/)
        await clear(documents)
      })
    }

    it("gives a token and takes a document, from the examples as they stand", async () => {
      await describeOnly("/oauth/token", "/v1/documents", "/v1/shipments")
      // The address names the open operation.
      await page.reload()
      await operation("POST", "/v1/documents").getByRole("button", { name: "Execute" }).waitFor()
      const tokens = operation("POST", "/oauth/token")
      await expand(tokens)
      const { status, body } = await execute(tokens)
      assert.strictEqual(status, "200")
      await authorize((JSON.parse(body) as { readonly access_token: string }).access_token)
      const documents = operation("POST", "/v1/documents")
      assert.strictEqual((await execute(documents)).status, "201")
      await clear(documents)
    })

    it("can be read by everybody with its operations open and an answer shown", async () => {
      await checkReadable()
    })

    it("finds an operation by what it does, and says when there is none", async () => {
      const search = page.getByRole("textbox", { name: "Search the operations" })
      await search.fill("SUBMIT document")
      await operation("POST", "/oauth/token").waitFor({ state: "detached" })
      await operation("POST", "/v1/documents").waitFor()
      await search.fill("submarine")
      await page.getByRole("status").getByText("No operation matches your search.").waitFor()
      await search.fill("")
      await operation("POST", "/oauth/token").waitFor()
    })

    it("answers in XML when that is chosen", async () => {
      const documents = operation("POST", "/v1/documents")
      await documents.locator(".responses-table").last().getByLabel("Media Type").first().selectOption(
        "application/xml"
      )
      const { status, body } = await execute(documents)
      assert.strictEqual(status, "201")
      assert.match(body, /^<\?xml [^]*<IntakeResult>/)
    })

    it("shows the answer before how it was asked for, and stays as wide as a telephone", async () => {
      await page.setViewportSize({ width: 390, height: 844 })
      const documents = operation("POST", "/v1/documents")
      const answer = await documents.locator(".live-responses-table").boundingBox()
      const curl = await documents.locator(".curl-command").boundingBox()
      assert.isBelow(answer!.y, curl!.y)
      assert.strictEqual(await page.evaluate(() => document.documentElement.scrollWidth), 390)
      await page.setViewportSize({ width: 1280, height: 720 })
    })

    // People paste tokens with more or less of the header.
    const cases = [
      {
        prefix: "Bearer ",
        sent: [
          { type: "application/xml", example: "overwrite", reference: "SHP-2001" },
          { type: "application/json", example: "severalOverwrite", reference: "SHP-1002" }
        ]
      },
      { prefix: "bearer  ", sent: [{ type: "application/xml", example: "append", reference: "SHP-2001" }] }
    ]
    for (const { prefix, sent } of cases) {
      const what = sent.map(({ example, type }) => `${example} as ${type}`).join(", ")
      it(`sends ${what} with "${prefix}<token>" from the dialog`, async () => {
        const token = await fetchToken()
        await authorize(`${prefix}${token}`)
        const documents = operation("POST", "/v1/documents")
        for (const { type, example, reference } of sent) {
          await documents.getByLabel("Request content type").selectOption(type)
          await documents.locator(".opblock-section-request-body .examples-select-element").selectOption(
            example
          )
          const request = page.waitForRequest((request) => request.method() === "POST")
          const { status, body } = await execute(documents)
          assert.strictEqual(status, "201")
          assert.include(body, reference)
          const { authorization, "content-type": contentType } = (await request).headers()
          assert.strictEqual(authorization, `Bearer ${token}`)
          assert.strictEqual(contentType, type)
          await clear(documents)
        }
      })
    }

    // Each load and each opened operation costs the page seconds, so this test covers both.
    it("keeps the token over a reload, and with id and secret sends the token that it was given instead", async () => {
      await page.reload()
      const shipments = operation("GET", "/v1/shipments")
      await expand(shipments)
      assert.strictEqual((await execute(shipments)).status, "200")
      await clear(shipments)
      await page.locator(".auth-wrapper").getByRole("button", { name: "Authorize" }).click()
      const dialog = page.locator(".dialog-ux")
      await dialog.locator(".auth-container").filter({ hasText: "Bearer <ACCESS_TOKEN>" }).getByText("Logout")
        .click()
      const client = dialog.locator(".auth-container").filter({ hasText: "client_secret" })
      await client.getByLabel("client_id").fill("acme-client")
      await client.getByLabel("client_secret").fill("acme-client-secret")
      const [answer] = await Promise.all([
        page.waitForResponse(/oauth\/token$/),
        client.getByRole("button", { name: "Apply given OAuth2 credentials" }).click()
      ])
      const { access_token: token } = await answer.json() as { readonly access_token: string }
      await client.getByText("Logout").waitFor()
      await dialog.getByText("Close", { exact: true }).first().click()
      const [request, { status }] = await Promise.all([
        page.waitForRequest(/v1\/shipments/),
        execute(shipments)
      ])
      assert.strictEqual(status, "200")
      assert.strictEqual(request.headers()["authorization"], `Bearer ${token}`)
    })
  })
})
