/** The OpenAPI document as YAML says what it says as JSON. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parse } from "yaml"
import type { Json } from "../../src/openapi/OpenApiSchemas.ts"
import * as ReferenceRoutes from "../../src/reference/ReferenceRoutes.ts"

describe("YAML", () => {
  it("is read as the value that was written", () => {
    fc.assert(fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json
      assert.deepStrictEqual(parse(ReferenceRoutes.write(json)), json)
    }))
  })

  it("has no quotes around plain keys, and nothing that is undefined", () => {
    assert.strictEqual(
      ReferenceRoutes.write(
        {
          info: { title: "A: b\n#c", no: 1, gone: undefined },
          "200": [[], {}, [1, "2"], { a: null }]
        } as never
      ),
      `"200":\n  - []\n  - {}\n  - - 1\n    - "2"\n  - a: null\ninfo:\n  title: "A: b\\n#c"\n  "no": 1\n`
    )
  })
})
