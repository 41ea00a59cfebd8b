/** The answers in the examples of packing lists are those of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { mappingExample, requests } from "../../src/domain/SavedMapping.ts"
import { packingLists } from "../../src/PackingListCapability.ts"
import * as PackingListServices from "../../src/PackingListServices.ts"
import { packingList, packingListRest, sendPackingList } from "../../src/rest/PackingListRest.ts"

it("what would become of a packing list, and mappings that are kept", async () => {
  const { ask, entriesOf } = await Recording.open([packingLists], {
    parts: [packingListRest],
    work: PackingListServices.intake
  })
  const { deletePackingListMapping, packingListMappings, savePackingListMapping } = packingLists.operations
  const at = "09:00:00"
  const answer = await ask({ name: sendPackingList, rest: "POST /v1/packing-lists" }, {
    at,
    input: { business: "acme", facility: "east", dryRun: true, mapping: JSON.stringify(mappingExample) },
    body: packingList,
    contentType: "text/csv"
  })
  const view = await ask(savePackingListMapping, {
    at,
    body: requests.savePackingListMapping.save.value
  })
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    answers: {
      sendPackingList: answer,
      savePackingListMapping: view,
      packingListMappings: await entriesOf(packingListMappings, { at, input: { business: "acme" } }),
      deletePackingListMapping: await ask(deletePackingListMapping, {
        at,
        body: requests.deletePackingListMapping.delete.value
      })
    },
    operatorAnswers: {}
  })
})
