/**
 * `POST /v1/shipments/{id}/exceptions` and `…/{exceptionId}/resolve`: what people report to be wrong (D13.5).
 */
import * as ExceptionInput from "@dockline/core/ExceptionInput"
import { exceptionPermissions } from "@dockline/core/ExceptionRules"
import { Exceptions } from "@dockline/core/Exceptions"
import type { ShownException } from "@dockline/core/Exceptions"
import type { ExceptionView, ReportAnswer } from "@dockline/core/ExceptionView"
import type { Reader } from "@dockline/core/internal/input/RequestInput"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { keepShown } from "@dockline/core/Keep"
import type { Writing } from "@dockline/core/Keep"
import { Effect, Result } from "effect"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

interface Change<Input, Shown> {
  readonly operation: ReadonlyArray<string>
  readonly status: 200 | 201
  /** The root element in XML. */
  readonly rootName: string
  readonly read: Reader<Input>
  readonly run: Writing<[input: Input], ShownException, CatalogueError>
  readonly show: (exception: ExceptionView) => Shown
}

const placed = ({ business, exception, facility }: ShownException) =>
  Result.succeed({ place: { business: business.slug, facility: facility.slug }, answer: exception })

/** A report answers 201 with the id of the exception, a resolution 200 with the exception. */
export const makeHandlers = Effect.fnUntraced(function*(config: HttpConfig) {
  const exceptions = yield* Exceptions
  const handle = yield* Write.make(config)

  const change = <Input, Shown>({ operation, read, rootName, run, show, status }: Change<Input, Shown>) =>
    handle<ExceptionView>({
      operation,
      parameters: [],
      permissions: exceptionPermissions,
      body: Write.json,
      run: ({ principal, bytes }, keep) =>
        Effect.flatMap(
          Write.readJson(bytes, read),
          (input) => keepShown(keep, placed, (keep) => run(input, principal, keep))
        ),
      show: (exception) => ({ status, headers: {}, rootName, value: show(exception) })
    })

  return {
    report: (id: string) =>
      change({
        operation: ["POST /v1/shipments/{id}/exceptions", id],
        status: 201,
        rootName: "ReportAnswer",
        read: ExceptionInput.readReport,
        run: (input, principal, keep) => exceptions.report(id, input, principal, keep),
        show: (exception): ReportAnswer => ({ exceptionId: exception.id })
      }),
    resolve: (id: string, exceptionId: string) =>
      change({
        operation: ["POST /v1/shipments/{id}/exceptions/{exceptionId}/resolve", id, exceptionId],
        status: 200,
        rootName: "Exception",
        read: ExceptionInput.readResolve,
        run: (input, principal, keep) => exceptions.resolve(id, exceptionId, input, principal, keep),
        show: (exception) => exception
      })
  }
})
