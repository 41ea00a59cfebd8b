/**
 * `dockline business`, `facility`, `dock` and `field-map`: the customers of the service, their places, and the fields of their
 * messages; `dockline audit`: what operators have changed.
 */
import { operatorOperations } from "@dockline/core/internal/operator/OperatorOperations"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { about, noun } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { valueOf, WrongUsage } from "../Failure.ts"
import { readText } from "../FileInput.ts"
import * as Output from "../Output.ts"
import { call } from "../ServiceCalls.ts"
import * as FieldText from "../text/FieldText.ts"
import { derived } from "./DerivedCommand.ts"
import * as FieldFlags from "./FieldFlags.ts"

export const business = noun("business", "Businesses: the customers of the service", [
  derived("list", operatorOperations.listBusinesses, {
    nothing: "No businesses.",
    examples: ["dockline business list"]
  }),
  derived("show", operatorOperations.getBusiness, { examples: ["dockline business show acme"] }),
  derived("create", operatorOperations.createBusiness, {
    arguments: ["slug"],
    examples: [
      "dockline business create initech --name \"Initech Foods\"",
      "dockline business create initech-test --name \"Initech, test\" --sandbox  # To try an integration: dockline trigger makes its messages, dockline webhook certify checks its receiver"
    ]
  }),
  derived("rename", operatorOperations.renameBusiness, {
    examples: ["dockline business rename initech --name Initech"]
  })
])

export const facility = noun("facility", "Facilities of a business", [
  derived("list", operatorOperations.listFacilities, {
    nothing: "No facilities.",
    examples: ["dockline facility list acme"]
  }),
  derived("show", operatorOperations.getFacility, { examples: ["dockline facility show acme east"] }),
  derived("create", operatorOperations.createFacility, {
    arguments: ["slug"],
    examples: ["dockline facility create initech north --name \"Initech North\""]
  }),
  derived("update", operatorOperations.updateFacility, {
    examples: [
      "dockline facility update initech north --name North",
      "dockline facility update initech north --time-zone Europe/Berlin"
    ]
  })
])

export const dock = noun("dock", "Docks of a facility", [
  derived("list", operatorOperations.listDocks, {
    nothing: "No docks.",
    examples: ["dockline dock list acme east"]
  }),
  derived("create", operatorOperations.createDock, {
    arguments: ["slug"],
    examples: ["dockline dock create initech north D1"]
  })
])

const { getFieldMap, setFieldMap } = operatorOperations

const noFields = "No fields: messages carry those of the contract alone."

const setFieldMapCommand = Command.make(
  "set",
  {
    params: FieldFlags.pathArguments(setFieldMap),
    fields: Arguments.texts("field", FieldText.read).pipe(
      Flag.withMetavar("NAME=LABEL[:list]"),
      Flag.withDescription(`A field, ${FieldText.form}: all values of the label, not the first only`)
    ),
    file: Arguments.text("file", "Take the whole map from this JSON file; - for standard input").pipe(
      Flag.withMetavar("PATH")
    )
  },
  Effect.fnUntraced(function*({ fields, file, params }) {
    if (Option.isSome(file) === fields.length > 0) {
      return yield* new WrongUsage({ message: "Give the fields with --field, or all of them with --file" })
    }
    const body = Option.isSome(file)
      ? yield* valueOf("--file", FieldText.readJson(yield* readText(file.value, "--file")))
      : fields
    yield* Output.answer(yield* call(setFieldMap, { params, body }), noFields)
  })
).pipe(
  about(
    "Replace the field map of a business; messages from then on carry it",
    "dockline field-map set acme --field LPN=lpn --field SKUs=sku:list",
    "dockline field-map set acme --file map.json  # As field-map show --json writes it"
  )
)

export const fieldMap = noun(
  "field-map",
  "Fields that a business's messages carry besides those of the contract",
  [
    derived("show", getFieldMap, { nothing: noFields, examples: ["dockline field-map show acme"] }),
    setFieldMapCommand
  ]
)

export const audit = noun("audit", "What operators have changed", [
  derived("list", operatorOperations.listAudit, {
    flags: { clientId: "by" },
    columns: [
      "at",
      ["by", "clientId"],
      ["from", "address"],
      "action",
      "subject",
      ["details", ({ details }) => Object.keys(details).length === 0 ? "" : JSON.stringify(details)]
    ],
    nothing: "No changes.",
    examples: [
      "dockline audit list",
      "dockline audit list --business acme --from 2026-11-20T00:00:00Z",
      "dockline audit list --subject businesses/acme --json  # With all that was set"
    ]
  })
])
