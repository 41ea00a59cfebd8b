/** The answer of the example of the trace is that of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { trace } from "../../src/trace/TraceCapability.ts"

it("the trace of a lot", async () => {
  const recorder = await Recording.open([trace])
  const freight = Recording.freight(recorder)
  await freight.expect()
  await freight.load()
  await freight.depart()
  Recording.compare(new URL("../../src/trace/answers.json", import.meta.url), {
    answers: {
      trace: await recorder.entriesOf(trace.operations.trace, {
        at: "18:12:00",
        input: { business: "acme", lot: "L-2026-48" }
      })
    }
  })
})
