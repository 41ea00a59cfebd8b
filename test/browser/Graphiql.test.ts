/** GraphiQL in a real browser, under its Content-Security-Policy, with a client that signs in or a pasted token (D8.8). */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { server, TestGraphql } from "../../packages/graphql-adapter/test/HttpSetup.ts"
import * as Chromium from "./Chromium.ts"

const browser = Effect.promise(() => Chromium.open())

const draft = (n: number) => ({
  business: "acme",
  facility: "east",
  type: "PALLET_EVENT" as const,
  payload: { mark: `mark-${n}` },
  shipmentId: 1
})

describe.skipIf(Chromium.isSkipped)("GraphiQL", () => {
  it.live(
    "loads from this service alone, and queries and subscribes with a pasted token",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestGraphql
        const { append } = yield* MessageLog
        yield* append([draft(1)])
        const page = yield* Effect.flatMap(browser, (browser) => Effect.promise(() => browser.newPage()))
        const { complaints, elsewhere } = Chromium.watch(page, url)
        yield* Effect.promise(async () => {
          await page.goto(url)
          await page.click("summary")
          await page.fill("#token", "nobody")
          await page.click("#pasted button")
          await page.waitForSelector("#state >> text=The service refuses this token")
          await page.fill("#token", "Bearer acme-client")
          await page.click("#pasted button")
          await page.waitForSelector(".graphiql-execute-button")
          await page.click(".graphiql-execute-button")
          await page.waitForFunction(() =>
            document.querySelector(".result-window")?.textContent?.includes("nodes")
          )
        })
        const subscription =
          `subscription Live { pushMessage(filter: { businessSlug: "acme", afterId: 0 }) { id message } }`
        yield* Effect.promise(async () => {
          await page.click(".graphiql-query-editor .CodeMirror")
          await page.keyboard.press("Control+A")
          await page.keyboard.insertText(subscription)
          // It reads the name of the operation after a moment; until then the button would run the previous one.
          await page.waitForFunction(() =>
            document.title.includes("Live") ||
            document.querySelector(".graphiql-tab-button")?.textContent === "Live"
          )
          await page.click(".graphiql-execute-button")
          await page.waitForFunction(() => {
            const text = document.querySelector(".result-window")?.textContent ?? ""
            return text.includes("pushMessage\"") && text.includes("mark-1")
          })
        })
        yield* append([draft(2)])
        yield* Effect.promise(() =>
          page.waitForFunction(() =>
            document.querySelector(".result-window")?.textContent?.includes("mark-2")
          )
        )
        expect(elsewhere).toEqual([])
        expect(complaints.filter((text) => !text.includes("401"))).toEqual([])
      }).pipe(Effect.scoped, Effect.provide(server())),
    60_000
  )

  it.live(
    "signs a client in by its id and secret, in the dark and on a telephone, without faults that axe finds",
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestGraphql
        const page = yield* Effect.flatMap(browser, (browser) =>
          Effect.promise(() =>
            browser.newPage({
              bypassCSP: true,
              colorScheme: "dark",
              viewport: { width: 390, height: 844 }
            })
          ))
        yield* Effect.promise(async () => {
          const asked: Array<string | null> = []
          // The service of this test has no endpoint for tokens; the tests of the whole server cover it.
          await page.route("**/oauth/token", (route) => {
            asked.push(route.request().postData())
            const isRight = asked.length > 1
            return route.fulfill({
              status: isRight ? 200 : 401,
              json: isRight ? { access_token: "acme-client" } : { error_description: "wrong secret" }
            })
          })
          await page.goto(url)
          expect(await page.evaluate(() => document.activeElement?.id)).toBe("client")
          expect(await Chromium.violations(page)).toEqual([])
          await page.fill("#client", "wms")
          await page.fill("#secret", "s&t")
          await page.click("#access button")
          await page.waitForSelector("#state >> text=Not signed in: wrong secret")
          await page.click("#access button")
          await page.waitForSelector(".graphiql-execute-button")
          expect(asked[1]).toBe("grant_type=client_credentials&client_id=wms&client_secret=s%26t")
          await page.click(".graphiql-execute-button")
          await page.waitForFunction(() =>
            document.querySelector(".result-window")?.textContent?.includes("nodes")
          )
          // The remaining violations come from GraphiQL's own colours, tabs and editors.
          const own = new Set(["color-contrast", "nested-interactive", "scrollable-region-focusable"])
          const faults = await Chromium.violations(page)
          expect(faults.filter((fault) => !own.has(fault.split(":")[0]!))).toEqual([])
          const [editor, answer] = await Promise.all(
            [".graphiql-editors", ".graphiql-response"].map((part) => page.locator(part).boundingBox())
          )
          expect(answer!.y).toBeGreaterThanOrEqual(editor!.y + editor!.height)
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
          await page.getByRole("button", { name: "Show Documentation Explorer" }).click()
          await page.locator(".graphiql-sessions").waitFor({ state: "hidden" })
          expect((await page.locator(".graphiql-plugin").boundingBox())!.width).toBeGreaterThan(300)
          await page.click("#out")
          await page.waitForSelector("#access")
        })
      }).pipe(Effect.scoped, Effect.provide(server())),
    60_000
  )
})
