/** GraphiQL in a real browser, under its Content-Security-Policy, with a pasted token (D8.8). */
import { MessageLog } from "@dockline/core/MessageLog"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { server, TestGraphql } from "../../packages/graphql-adapter/test/HttpSetup.ts"
import * as Chromium from "./Chromium.ts"

const browser = Effect.acquireRelease(
  Effect.promise(() => Chromium.launch()),
  (browser) => Effect.promise(() => browser.close())
)

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
        const hosts = new Set<string>()
        const complaints: Array<string> = []
        page.on("request", (request) => hosts.add(new URL(request.url()).host))
        page.on("console", (message) => {
          if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text())
        })
        page.on("pageerror", (error) => complaints.push(String(error)))
        yield* Effect.promise(async () => {
          await page.goto(url)
          await page.fill("#token", "Bearer acme-client")
          await page.click("#access button")
          await page.waitForFunction(() =>
            document.querySelector("output")?.textContent?.includes("carry the token")
          )
          await page.waitForSelector(".graphiql-execute-button")
          await page.click(".graphiql-execute-button")
          await page.waitForFunction(() =>
            document.querySelector(".result-window")?.textContent?.includes("mark-1")
          )
        })
        const subscription =
          `subscription Live { pushMessage(filter: { businessSlug: "acme", afterId: 0 }) { id message } }`
        yield* Effect.promise(async () => {
          await page.click(".graphiql-query-editor .CodeMirror")
          await page.keyboard.press("Control+A")
          await page.keyboard.insertText(subscription)
          // It reads the name of the operation in a moment; until then the button would run the one before.
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
        expect(Array.from(hosts)).toEqual([new URL(url).host])
        expect(complaints).toEqual([])
      }).pipe(Effect.scoped, Effect.provide(server())),
    60_000
  )
})
