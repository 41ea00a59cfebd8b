/** `dockline alert`: alert rules, each of which determines which incidents are reported, to whom and when. */
import { call, commandOf, listCommand, noun, Output } from "@dockline/cli/commands/CommandParts"
import type { CapabilityCommand } from "@dockline/cli/commands/CommandParts"
import { Effect } from "effect"
import { alertRuleOperations } from "../domain/AlertRule.ts"

const { deleteAlertRule, getAlertRule, listAlertNotices, listAlertRules, setAlertRule, testAlertRule } =
  alertRuleOperations

/** The commands of the capability. */
export const alerts: {
  readonly title: "alerts"
  readonly commands: readonly [CapabilityCommand<"alert">]
} = {
  title: "alerts",
  commands: [
    noun("alert", "Alerts: messages about incidents, by e-mail, Slack and Teams", [
      listCommand("list", listAlertRules, {
        columns: ["slug", "facility", "kinds", "channel", "enabled", "waiting", "lastSentAt", "lastFailure"],
        nothing: "No alert rules.",
        examples: ["dockline alert list acme"]
      }),
      commandOf("show", getAlertRule, { examples: ["dockline alert show acme night-shift"] }),
      listCommand("notices", listAlertNotices, {
        columns: ["at", "title", "state", "reason", "endedAt"],
        nothing: "No notices.",
        examples: ["dockline alert notices acme night-shift"]
      }),
      commandOf("set", setAlertRule, {
        examples: [
          "dockline alert set acme night-shift --facility east --kinds WRONG_PALLET --channel EMAIL --to shift@example.com",
          "dockline alert set acme yard --facility east --kinds SHORT_DEPARTURE --channel SLACK --url https://hooks.slack.com/services/…"
        ]
      }),
      commandOf("test", testAlertRule, {
        done: ({ rule }) =>
          Output.done(`A test of ${rule} is sent within seconds; dockline alert show says how it ended.`),
        examples: ["dockline alert test acme night-shift"]
      }),
      commandOf("delete", deleteAlertRule, {
        question: (params) =>
          Effect.map(
            call(getAlertRule, { params }),
            ({ value: { business, slug, waiting } }) =>
              `Delete alert rule ${slug} (${business})? ${waiting} of its notices wait, and will be dropped.`
          ),
        done: ({ rule }) => Output.done(`Deleted alert rule ${rule}.`),
        examples: ["dockline alert delete acme night-shift --yes"]
      })
    ])
  ]
}
