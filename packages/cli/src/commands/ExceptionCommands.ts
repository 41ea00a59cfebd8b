/**
 * `dockline exception`: what people report to be wrong with a shipment or a pallet.
 */
import { operations } from "@dockline/core/Operations"
import { exceptionKinds, exceptionPriorities } from "@dockline/core/ShipmentException"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { WrongUsage } from "../Failure.ts"
import { exceptions, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"
import * as Filters from "./Filters.ts"

const list = Command.make(
  "list",
  {
    id: Arguments.shipment.pipe(Argument.optional),
    only: Filters.flags(operations.exceptions),
    extent: Pages.flags
  },
  ({ extent, id, only: values }) => {
    const only = Filters.given(operations.exceptions, values)
    const ofShipment = Option.isSome(id)
    if (ofShipment && Object.keys(only).length > 0) {
      return Effect.fail(
        new WrongUsage({ message: "The exceptions of one shipment are listed without further filters" })
      )
    }
    return Pages.numbered(extent, (page) =>
      exceptions((api) =>
        ofShipment
          ? api.listShipmentExceptions({ params: { id: id.value }, query: page, ...full })
          : api.listExceptions({ query: { ...only, ...page }, ...full })
      )).pipe(Output.list(ShownColumns.exceptions, "No exceptions."))
  }
).pipe(
  about(
    "List what people have reported: of a shipment, or of all, the newest first",
    "dockline exception list 1",
    {
      command: "dockline exception list --business acme --facility east --status OPEN",
      description: "What somebody has to look at"
    }
  )
)

const report = Command.make(
  "report",
  {
    id: Arguments.shipment,
    kind: Flag.Literals("kind", exceptionKinds).pipe(Flag.withDescription("What is wrong")),
    priority: Flag.Literals("priority", exceptionPriorities).pipe(
      Flag.withDescription("How soon somebody must look at it"),
      Flag.withDefault("LOW" as const)
    ),
    description: Flag.String("description").pipe(Flag.withDescription("What is wrong, in words")),
    palletId: Arguments.text("pallet", "Id of the pallet that it is about; the whole shipment when absent"),
    lpn: Arguments.text("lpn", "License plate of the pallet that it is about, seen or not"),
    idempotencyKey: Arguments.idempotencyKey
  },
  ({ description, id, idempotencyKey, kind, lpn, palletId, priority }) => {
    const headers = Arguments.writeHeaders(idempotencyKey)
    const payload = {
      kind,
      priority,
      description,
      ...Arguments.ifGiven("palletId", palletId),
      ...Arguments.ifGiven("lpn", lpn)
    }
    return exceptions((api) => api.reportException({ params: { id }, headers, payload, ...full })).pipe(
      Output.record({ exception: ({ exceptionId }) => exceptionId })
    )
  }
).pipe(
  about(
    "Report that something is wrong with a shipment, or with one of its pallets",
    "dockline exception report 1 --kind OTHER --description \"The seal was broken\"",
    "dockline exception report 1 --lpn 003401234500004711 --kind SHORT --description \"Not on the truck\"",
    "dockline exception report 1 --pallet 815 --kind DAMAGED --priority HIGH --description \"Two cartons crushed\" --idempotency-key 815/1"
  )
)

const resolve = Command.make(
  "resolve",
  {
    id: Arguments.shipment,
    exceptionId: Arguments.exception,
    note: Flag.String("note").pipe(Flag.withDescription("How it was resolved, in words")),
    idempotencyKey: Arguments.idempotencyKey
  },
  ({ idempotencyKey, note, ...params }) =>
    exceptions((api) =>
      api.resolveException({
        params,
        headers: Arguments.writeHeaders(idempotencyKey),
        payload: { note },
        ...full
      })
    ).pipe(
      Output.record(ShownColumns.exceptions)
    )
).pipe(
  about(
    "Resolve an exception; repeating it changes nothing",
    "dockline exception resolve 1 12 --note \"Replaced both cartons\""
  )
)

export const exception = Command.make("exception").pipe(
  Command.withDescription("Exceptions: what people report to be wrong"),
  Command.withSubcommands([list, report, resolve])
)
