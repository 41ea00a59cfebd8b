/**
 * `POST /v1/shipments/{id}/arrive`, `/depart`, `/link` and `/cancel`: moving a shipment on (D6.5, D6.6, D13.9).
 */
import type { Permission, Principal } from "@dockline/core/Access"
import type { Reader } from "@dockline/core/internal/input/RequestInput"
import { cancelPermissions } from "@dockline/core/internal/movement/Steps"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { Shipments } from "@dockline/core/Shipments"
import * as StepInput from "@dockline/core/StepInput"
import type { ShipmentView } from "@dockline/core/View"
import { Effect } from "effect"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

/** Each answers with the shipment after the step, whether the step changed anything or not. */
export const makeHandlers = Effect.fnUntraced(function*(config: HttpConfig) {
  const shipments = yield* Shipments
  const handle = yield* Write.make(config)

  const step = <A>(
    name: string,
    body: typeof Write.json,
    read: Reader<A>,
    take: (id: string, given: A, principal: Principal) => Effect.Effect<ShipmentView, CatalogueError>,
    permissions: ReadonlyArray<Permission> = ["shipments:write"]
  ) =>
  (id: string) =>
    handle({
      operation: [`POST /v1/shipments/{id}/${name}`, id],
      parameters: [],
      permissions,
      body,
      run: ({ principal, bytes, responseType }) =>
        Effect.gen(function*() {
          const given = yield* Write.readJson(bytes, read)
          const shipment = yield* take(id, given, principal)
          return {
            status: 200,
            headers: { vary: "accept" },
            ...yield* Answer.encode("Shipment", shipment, responseType),
            place: { business: shipment.business.slug, facility: shipment.facility.slug }
          }
        })
    })

  return {
    arrive: step("arrive", Write.optionalJson, StepInput.readArrive, shipments.arrive),
    depart: step("depart", Write.optionalJson, StepInput.readDepart, shipments.depart),
    link: step(
      "link",
      Write.json,
      StepInput.readLink,
      (id, { linkedShipmentId }, principal) => shipments.link(id, linkedShipmentId, principal)
    ),
    cancel: step(
      "cancel",
      Write.optionalJson,
      StepInput.readCancel,
      (id, _given, principal) => shipments.cancel(id, principal),
      cancelPermissions
    )
  }
})
