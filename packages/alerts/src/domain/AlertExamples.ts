/**
 * Examples of the requests of operators.
 */
import { example } from "@dockline/core/access/Operation"

/** The requests of operators. */
export const operatorRequests = {
  setAlertRule: {
    mail: example("Wrong pallets and trucks beyond their limit by e-mail, gathered at night", {
      facility: "east",
      kinds: ["DETENTION", "WRONG_PALLET"],
      channel: "EMAIL",
      to: ["shift@example.com"],
      quietFrom: "22:00",
      quietTo: "06:00"
    }),
    slack: example("Short departures to a channel of Slack, every quarter of an hour at most", {
      facility: "east",
      kinds: ["SHORT_DEPARTURE"],
      channel: "SLACK",
      url: "https://hooks.slack.example/services/T0/B0/secret",
      digestMinutes: 15
    })
  }
} as const
