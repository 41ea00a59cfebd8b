/** The answers of the examples of alerts are those of the service. */
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { alerts } from "../../src/AlertCapability.ts"
import { operatorRequests } from "../../src/domain/AlertExamples.ts"
import { alertRuleOperations } from "../../src/domain/AlertRule.ts"

it("a rule of a facility", async () => {
  const { ask } = await Recording.open([alerts])
  const { getAlertRule, listAlertRules, setAlertRule } = alertRuleOperations
  const operate = {
    at: "09:00:00",
    client: "operator",
    input: { slug: "acme", rule: "night-shift" }
  } as const
  const setting = await ask(setAlertRule, { ...operate, body: operatorRequests.setAlertRule.mail.value })
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    operatorAnswers: {
      listAlertRules: await ask(listAlertRules, { ...operate, input: { slug: "acme" } }),
      getAlertRule: await ask(getAlertRule, operate),
      setAlertRule: setting
    }
  })
})
