/** The table of operations is that of the interface, and leaves none out that clients use. */
import { operations } from "@dockline/core/operations/Operations"
import { Api } from "@dockline/http-adapter/api/Api"
import { assert, it } from "vitest"
import { routes } from "../src/Declared.ts"
import type { Name } from "../src/Declared.ts"

it("names each operation of the groups for clients, with its kind, method and path", () => {
  const { documents, edi, exceptions, messages, pallets, shipments } = Api.groups
  const declared = [documents, shipments, pallets, exceptions, messages, edi].flatMap(({ endpoints }) =>
    // Files of X12 are sent as they are, by whatever sends files.
    Object.values(endpoints).filter(({ identifier }) => identifier !== "sendEdi").map((
      { identifier, method, path }
    ) => [identifier, `${method} ${path}`] as const)
  )
  const named = Object.entries(routes).map(([method, route]) => {
    const { kind, name } = operations[method as Name]
    assert.isTrue(route.startsWith(`${kind} `), method)
    return [name, route.slice(kind.length + 1)] as const
  })
  assert.deepStrictEqual(Object.fromEntries(named), Object.fromEntries(declared))
})
