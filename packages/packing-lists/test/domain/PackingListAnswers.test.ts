/** The answer of the example of packing lists is that of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { packingLists } from "../../src/PackingListCapability.ts"
import * as PackingListServices from "../../src/PackingListServices.ts"
import {
  packingList,
  packingListMapping,
  packingListRest,
  sendPackingList
} from "../../src/rest/PackingListRest.ts"

it("what would become of a packing list", async () => {
  const { ask } = await Recording.open([packingLists], {
    parts: [packingListRest],
    work: PackingListServices.intake
  })
  const answer = await ask({ name: sendPackingList, rest: "POST /v1/packing-lists" }, {
    at: "09:00:00",
    input: { business: "acme", facility: "east", dryRun: true, mapping: JSON.stringify(packingListMapping) },
    body: packingList,
    contentType: "text/csv"
  })
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    answers: { sendPackingList: answer },
    operatorAnswers: {}
  })
})
