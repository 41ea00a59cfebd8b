/**
 * `POST /v1/shipments/{id}/arrive`, `/depart`, `/link` and `/cancel`: moving a shipment on (D6.5, D6.6, D13.9).
 */
import type { Permission } from "@dockline/core/Access"
import type { Reader } from "@dockline/core/internal/input/RequestInput"
import { cancelShipment } from "@dockline/core/internal/movement/ShipmentOperations"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { keepShown } from "@dockline/core/Keep"
import type { Writing } from "@dockline/core/Keep"
import { Shipments } from "@dockline/core/Shipments"
import * as StepInput from "@dockline/core/StepInput"
import type { ShipmentView } from "@dockline/core/View"
import { Effect, Result } from "effect"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

const placed = (answer: ShipmentView) =>
  Result.succeed({ place: { business: answer.business.slug, facility: answer.facility.slug }, answer })

/** Each answers with the shipment after the step, whether the step changed anything or not. */
export const makeHandlers = Effect.fnUntraced(function*(config: HttpConfig) {
  const shipments = yield* Shipments
  const handle = yield* Write.make(config)

  const step = <A>(
    name: string,
    body: typeof Write.json,
    read: Reader<A>,
    take: Writing<[id: string, given: A], ShipmentView, CatalogueError>,
    permissions: ReadonlyArray<Permission> = ["shipments:write"]
  ) =>
  (id: string) =>
    handle<ShipmentView>({
      operation: [`POST /v1/shipments/{id}/${name}`, id],
      parameters: [],
      permissions,
      body,
      run: ({ principal, bytes }, keep) =>
        Effect.flatMap(
          Write.readJson(bytes, read),
          (given) => keepShown(keep, placed, (keep) => take(id, given, principal, keep))
        ),
      show: (shipment) => ({ status: 200, headers: {}, rootName: "Shipment", value: shipment })
    })

  return {
    arrive: step("arrive", Write.optionalJson, StepInput.readArrive, shipments.arrive),
    depart: step("depart", Write.optionalJson, StepInput.readDepart, shipments.depart),
    link: step(
      "link",
      Write.json,
      StepInput.readLink,
      (id, { linkedShipmentId }, principal, keep) => shipments.link(id, linkedShipmentId, principal, keep)
    ),
    cancel: step(
      "cancel",
      Write.optionalJson,
      StepInput.readCancel,
      (id, _given, principal, keep) => shipments.cancel(id, principal, keep),
      cancelShipment.may
    )
  }
})
