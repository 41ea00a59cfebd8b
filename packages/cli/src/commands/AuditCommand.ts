/** `dockline audit list`: the record of what operators have changed. */
import { Command } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { audit as call, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as Pages from "../Pages.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const { ifGiven } = Arguments

const list = Command.make(
  "list",
  {
    business: Arguments.text("business", "Only changes of this business"),
    clientId: Arguments.text("by", "Only changes by the client of this id"),
    subject: Arguments.text("subject", "Only changes of this, such as clients/ID or businesses/acme"),
    from: Arguments.time("from", "Only changes of then or later"),
    to: Arguments.time("to", "Only changes of then or earlier"),
    extent: Pages.flags
  },
  ({ business, clientId, extent, from, subject, to }) => {
    const only = {
      ...ifGiven("business", business),
      ...ifGiven("clientId", clientId),
      ...ifGiven("subject", subject),
      ...ifGiven("from", from),
      ...ifGiven("to", to)
    }
    return Pages.pages(
      extent,
      (page) => call((api) => api.listAudit({ query: { ...only, ...page }, ...full }))
    ).pipe(Output.list(ShownColumns.audit, "No changes."))
  }
).pipe(
  about(
    "List who changed what on the operator side, when and from which address, newest first; kept for a year",
    "dockline audit list",
    "dockline audit list --business acme --from 2026-11-20T00:00:00Z",
    { command: "dockline audit list --subject businesses/acme --json", description: "With all that was set" }
  )
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("What operators have changed"),
  Command.withSubcommands([list])
)
