/** The answers of the examples of days are those of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { day } from "../../src/day/DayCapability.ts"

it("operations of days", async () => {
  const recorder = await Recording.open([day])
  const freight = Recording.freight(recorder)
  await freight.expect()
  await freight.load()
  await freight.depart()
  const sending = { at: "18:12:00", input: { business: "acme", facility: "east", limit: 4 } }
  Recording.compare(new URL("../../src/day/answers.json", import.meta.url), {
    answers: {
      dayTrend: await recorder.entriesOf(day.operations.dayTrend, {
        at: "18:12:00",
        input: { business: "acme", facility: "east", limit: 3 }
      }),
      day: await recorder.entriesOf(day.operations.day, sending),
      dayShipments: await recorder.entriesOf(day.operations.dayShipments, sending)
    }
  })
})
