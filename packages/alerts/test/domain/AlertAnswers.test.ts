/** The answers in the examples of alerts are those of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { alerts, operatorRequests } from "../../src/AlertCapability.ts"
import { alertRuleOperations } from "../../src/domain/AlertRule.ts"

it("a rule of a facility", async () => {
  const { ask } = await Recording.open([alerts])
  const { getAlertRule, listAlertNotices, listAlertRules, setAlertRule, testAlertRule } = alertRuleOperations
  const operate = {
    at: "09:00:00",
    client: "operator",
    input: { slug: "acme", rule: "night-shift" }
  } as const
  const setting = await ask(setAlertRule, { ...operate, body: operatorRequests.setAlertRule.mail.value })
  const view = await ask(getAlertRule, operate)
  const list = await ask(listAlertRules, { ...operate, input: { slug: "acme" } })
  await ask(testAlertRule, operate)
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    operatorAnswers: {
      listAlertRules: list,
      getAlertRule: view,
      listAlertNotices: await ask(listAlertNotices, operate),
      setAlertRule: setting
    }
  })
})
