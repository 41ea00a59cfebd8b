/** `dockline epcis`: how the events of a business are written, and whether endpoints get them. */
import { commandOf, noun } from "@dockline/cli/commands/CommandParts"
import type { CapabilityCommand } from "@dockline/cli/commands/CommandParts"
import { epcisOutboxes } from "../domain/EpcisOutbox.ts"
import { getEpcisSettings, setEpcisSettings } from "../domain/EpcisSettings.ts"

/** The commands of the capability. */
export const epcis: {
  readonly title: "EPCIS"
  readonly commands: readonly [CapabilityCommand<"epcis">]
  readonly outbox: typeof epcisOutboxes
} = {
  title: "EPCIS",
  commands: [
    noun("epcis", "EPCIS: events of pallets and shipments, for other companies", [
      commandOf("show", getEpcisSettings, { examples: ["dockline epcis show acme"] }),
      commandOf("set", setEpcisSettings, {
        fields: ["companyPrefixes", "publishes"],
        examples: [
          "dockline epcis set acme --company-prefixes 0614141 --publishes",
          "dockline epcis set acme  # The defaults"
        ]
      })
    ])
  ],
  outbox: epcisOutboxes
}
