/** The tables of operations are those of the interface, and leave none out that clients use. */
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import { operations } from "@dockline/core/operations/Operations"
import * as EdiRoutes from "@dockline/edi/client/EdiRoutes"
import { Api } from "@dockline/http-adapter/api/Api"
import * as PackingListRoutes from "@dockline/packing-lists/PackingListRoutes"
import { capabilities } from "@dockline/server/Capabilities"
import { assert, it } from "vitest"
import * as DayRoutes from "../src/DayRoutes.ts"
import { routes } from "../src/Declared.ts"
import type { Name } from "../src/Declared.ts"
import * as ExceptionRoutes from "../src/ExceptionRoutes.ts"
import * as SkuRoutes from "../src/SkuRoutes.ts"
import * as TraceRoutes from "../src/TraceRoutes.ts"

it("names each operation of the groups for clients, with its kind, method and path", () => {
  const { documents, messages, pallets, shipments } = Api.groups
  const declarations = [documents, shipments, pallets, messages].flatMap(({ endpoints }) =>
    Object.values(endpoints).map(({ identifier, method, path }) => [identifier, `${method} ${path}`] as const)
  )
  const routesOfClient = Object.entries(routes).map(([method, route]) => {
    const { kind, name } = operations[method as Name]
    assert.isTrue(route.startsWith(`${kind} `), method)
    return [name, route.slice(kind.length + 1)] as const
  })
  assert.deepStrictEqual(Object.fromEntries(routesOfClient), Object.fromEntries(declarations))
})

it("names each operation of the capabilities that ship", () => {
  const capabilityRoutes = [
    DayRoutes.day.routes,
    SkuRoutes.skus.routes,
    TraceRoutes.trace.routes,
    ExceptionRoutes.exceptions.routes,
    EdiRoutes.edi.routes,
    PackingListRoutes.packingLists.routes
  ]
  const declarations = Object.entries(declaredOperations(capabilities))
    .filter(([method]) => !Object.hasOwn(operations, method))
    .map(([method, { kind, rest }]) => [method, `${kind} ${rest}`])
  assert.deepStrictEqual(Object.assign({}, ...capabilityRoutes), Object.fromEntries(declarations))
})
