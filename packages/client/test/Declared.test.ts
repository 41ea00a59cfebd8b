/** The table of operations is that of the interface, and leaves none out that clients use. */
import { Api } from "@dockline/http-adapter/Api"
import { assert, it } from "vitest"
import { routes } from "../src/Declared.ts"

it("names each operation of the groups for clients, with its method and path", () => {
  const { documents, exceptions, messages, pallets, shipments } = Api.groups
  const declared = [documents, shipments, pallets, exceptions, messages].flatMap(({ endpoints }) =>
    Object.values(endpoints).map(({ identifier, method, path }) => [identifier, `${method} ${path}`] as const)
  )
  assert.deepStrictEqual(Object.fromEntries(declared), { ...routes })
})
