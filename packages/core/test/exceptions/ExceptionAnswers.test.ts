/** The answers of the examples of exceptions are those of the service, and so is what they add to other answers. */
import { capabilities } from "@dockline/server/Capabilities"
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { exceptions, ofDays, ofDayShipments } from "../../src/exceptions/ExceptionCapability.ts"
import { requests } from "../../src/exceptions/ExceptionOperations.ts"
import { operations } from "../../src/operations/Operations.ts"

const file = new URL("../../src/exceptions/answers.json", import.meta.url)
const at = "17:41:00"
const place = { business: "acme", facility: "east" }

/** The shipment of the examples with two exceptions, of which one is resolved. */
const reportOne = async (recorder: Recording.Recorder) => {
  const freight = Recording.freight(recorder)
  await freight.expect()
  await freight.load()
  const { id } = freight
  const report = (at: string, { value }: { readonly value: object }) =>
    recorder.ask<{ readonly exceptionId: string }>(exceptions.operations.reportException, {
      at,
      input: { id },
      body: value
    })
  const pallet = await report("17:05:00", requests.reportException.pallet)
  await report("17:06:00", requests.reportException.missing)
  const board = await recorder.ask(operations.dockBoard, { at: "17:06:00", input: place })
  const resolution = await recorder.ask(exceptions.operations.resolveException, {
    at: "17:40:00",
    input: { id, exceptionId: pallet.exceptionId },
    body: requests.resolveException.resolve.value
  })
  return { freight, pallet, board, resolved: resolution }
}

it("operations of exceptions, and boards", async () => {
  const recorder = await Recording.open([exceptions])
  const { board, freight, pallet, resolved } = await reportOne(recorder)
  const messages = await recorder.entriesOf<{ readonly messageType: string; readonly message: object }>(
    operations.messages,
    { at, input: { business: "acme" } }
  )
  const payloadOf = (type: string) => messages.find(({ messageType }) => messageType === type)!.message
  Recording.compare(
    file,
    {
      answers: {
        exceptions: await recorder.entriesOf(exceptions.operations.exceptions, { at }),
        shipmentExceptions: await recorder.entriesOf(exceptions.operations.shipmentExceptions, {
          at,
          input: { id: freight.id }
        }),
        reportException: pallet,
        resolveException: resolved
      },
      payloads: {
        EXCEPTION_REPORTED: payloadOf("EXCEPTION_REPORTED"),
        EXCEPTION_RESOLVED: payloadOf("EXCEPTION_RESOLVED")
      },
      boards: { dockBoard: board }
    }
  )
})

const days = capabilities.filter(({ name }) => name === "day")

it.skipIf(days.length === 0)("days, where the service has them", async () => {
  const recorder = await Recording.open([exceptions, ...days])
  const { freight } = await reportOne(recorder)
  await freight.depart()
  const sending = { at: "18:12:00", input: { ...place, limit: 4 } }
  const day = await recorder.entriesOf({ name: "day", rest: "GET /v1/day" }, sending)
  const dayShipments = await recorder.entriesOf(
    { name: "dayShipments", rest: "GET /v1/day/shipments" },
    sending
  )
  Recording.compare(file, {
    days: {
      day: Recording.pick(day, Object.keys(ofDays.fields)),
      dayShipments: Recording.pick(dayShipments, Object.keys(ofDayShipments.fields))
    }
  })
})
