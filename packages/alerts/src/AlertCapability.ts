/**
 * Alerts as a capability (D26): rules of facilities, by which people are told about incidents by e-mail, Slack and Teams.
 */
import * as Capability from "@dockline/core/capability/Capability"
import * as OperatorPart from "@dockline/core/capability/OperatorPart"
import { Effect } from "effect"
import { operatorRequests } from "./domain/AlertExamples.ts"
import { alertIncidents } from "./domain/AlertIncidents.ts"
import { alertRuleOperations, alertRuleOperationsWith } from "./domain/AlertRule.ts"
import { AlertRules } from "./domain/AlertRules.ts"
import recorded from "./domain/answers.json" with { type: "json" }
import * as MemoryAlerts from "./domain/MemoryAlerts.ts"

/** Alerts about incidents. */
export const alerts = Capability.make("alerts", {
  title: "Alerts",
  description: "Tell people of what goes wrong, by e-mail, Slack and Teams",
  operations: {},
  services: AlertRules.layer,
  handlers: Effect.succeed({}),
  memory: MemoryAlerts.memory,
  answers: {},
  incidents: alertIncidents,
  audit: ["ALERT_RULE_SET", "ALERT_RULE_REMOVED", "ALERT_RULE_TESTED"],
  operators: OperatorPart.make({
    name: "alertRules",
    title: "Operator: alerts",
    description: "Of what people are told, where, and when",
    operations: alertRuleOperations,
    withWords: alertRuleOperationsWith,
    handlers: AlertRules,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
