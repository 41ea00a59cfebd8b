/** What importing the declaration of the REST interface, or the command line, loads: declarations, and nothing that a server runs. */
import { assert, describe, it } from "@effect/vitest"
import { loadedBy } from "../../../test/support/Loaded.ts"

const under = (files: ReadonlyArray<string>, folder: string) =>
  files.filter((file) => file.startsWith(folder))

const api = [
  "packages/http-adapter/src/api/Api.ts",
  "packages/http-adapter/src/api/ApiSchemas.ts",
  "packages/http-adapter/src/api/Endpoints.ts",
  "packages/http-adapter/src/api/Parts.ts",
  "packages/http-adapter/src/api/TokenApi.ts"
]

describe.each<[name: string, ofTheAdapter: ReadonlyArray<string>]>([
  ["@dockline/http-adapter/api/Api", api],
  ["@dockline/cli/CommandLine", []]
])("importing %s", (name, ofTheAdapter) => {
  it("loads declarations alone, of the HTTP adapter and of core", async () => {
    const files = await loadedBy(name)
    assert.sameMembers([...under(files, "packages/http-adapter/")], [...ofTheAdapter])
    assert.isAtMost(under(files, "packages/core/").length, 85)
    assert.deepStrictEqual(files.filter((file) => file.endsWith("Store.ts")), [])
    assert.sameMembers([...under(files, "packages/core/src/messages/")], [
      "packages/core/src/messages/Message.ts",
      "packages/core/src/messages/MessageView.ts"
    ])
    for (const folder of ["memory", "embed"]) {
      assert.deepStrictEqual(under(files, `packages/core/src/${folder}/`), [])
    }
    assert.deepStrictEqual(files.filter((file) => /node_modules\/(jose|saxes|xmlchars)\//.test(file)), [])
  })
})
