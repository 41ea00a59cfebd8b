/** The checks of all other tests, that no request leaves the service and the browser does not complain, detect violations. */
import { assert, describe, it } from "vitest"
import * as Chromium from "./Chromium.ts"

describe.skipIf(Chromium.isSkipped)("a watched page", () => {
  it("tells of requests to other hosts, and of what the browser complains", async () => {
    const page = await (await Chromium.open()).newPage()
    await page.route(
      "**",
      (route) => route.fulfill({ body: "<title>Here</title>", contentType: "text/html" })
    )
    const watched = Chromium.watch(page, "http://service.example/page")
    await page.goto("http://service.example/other")
    await page.evaluate(async () => {
      await fetch("http://service.example/data")
      await fetch("data:,none")
      await fetch("http://service.example:8080/data", { mode: "no-cors" })
      console.info("Nothing is wrong")
      console.warn("Something is odd")
      setTimeout(() => {
        throw new Error("Something is wrong")
      })
      await new Promise((resolve) => setTimeout(resolve))
    })
    await page.close()
    assert.deepStrictEqual(watched, {
      elsewhere: ["http://service.example:8080/data"],
      complaints: ["Something is odd", "Something is wrong"]
    })
  })
})
