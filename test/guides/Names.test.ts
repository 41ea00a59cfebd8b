/** Names in the text of pages are found in the sources, and missing ones are reported. */
import { assert, describe, it } from "vitest"
import * as Names from "./Names.ts"

describe("names in the text", () => {
  const unknown = (text: string, ...names: ReadonlyArray<string>) =>
    assert.deepStrictEqual(Names.unknown(text), names)

  it("fail when there is nothing of that name", () => {
    unknown(
      "`Dockline.isFollowRefusal(error)` or `Law.verify`",
      "Dockline.isFollowRefusal(error)",
      "Law.verify"
    )
    unknown("`core/Decision.dacide`, `core/Plans`", "core/Decision.dacide", "core/Plans")
    unknown(
      "`@dockline/core/Nothing`, `@dockline/nothing/Plan`",
      "@dockline/core/Nothing",
      "@dockline/nothing/Plan"
    )
    unknown("`@dockline/testing/Law`", "@dockline/testing/Law")
    unknown(
      "`examples/nothing`, `NothingSuite`, `nothingSuite`, `Nothing.ts`",
      "examples/nothing",
      "NothingSuite",
      "nothingSuite",
      "Nothing.ts"
    )
    unknown("`dockline webhook rotate 1`, `npm run deploy`", "dockline webhook rotate 1", "npm run deploy")
    unknown("`BODY_LIMIT_MILES=1`", "BODY_LIMIT_MILES=1")
  })
})
