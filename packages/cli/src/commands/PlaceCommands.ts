/**
 * `dockline business`, `facility`, `dock` and `field-map`: the customers of the service, their places, and the fields of their messages;
 * `dockline audit`: the changes of operators.
 */
import { operations } from "@dockline/core/operations/Operations"
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { noun, readText } from "../Arguments.ts"
import { valueOf, wrongUsage } from "../Failure.ts"
import * as FieldText from "../FieldText.ts"
import { commandOf, listCommand } from "./DerivedCommand.ts"

export const business = noun("business", "Businesses: the customers of the service", [
  listCommand("list", operatorOperations.listBusinesses, { examples: ["dockline business list"] }),
  commandOf("show", operatorOperations.getBusiness, { examples: ["dockline business show acme"] }),
  commandOf("create", operatorOperations.createBusiness, {
    arguments: ["slug"],
    examples: [
      "dockline business create initech --name \"Initech Foods\""
    ]
  }),
  commandOf("rename", operatorOperations.renameBusiness, {
    examples: ["dockline business rename initech --name Initech"]
  })
])

export const facility = noun("facility", "Facilities of a business", [
  listCommand("list", operatorOperations.listFacilities, { examples: ["dockline facility list acme"] }),
  commandOf("show", operatorOperations.getFacility, { examples: ["dockline facility show acme east"] }),
  commandOf("create", operatorOperations.createFacility, {
    arguments: ["slug"],
    examples: ["dockline facility create initech north --name \"Initech North\""]
  }),
  commandOf("update", operatorOperations.updateFacility, {
    examples: [
      "dockline facility update initech north --name North",
      "dockline facility update initech north --time-zone Europe/Berlin"
    ]
  })
])

export const dock = noun("dock", "Docks of a facility", [
  listCommand("list", operatorOperations.listDocks, { examples: ["dockline dock list acme east"] }),
  commandOf("create", operatorOperations.createDock, {
    arguments: ["slug"],
    examples: ["dockline dock create initech north D1"]
  }),
  commandOf("board", operations.dockBoard, { examples: ["dockline dock board acme east"] })
])

const { getFieldMap, setFieldMap } = operatorOperations

const noFields = "No fields: messages carry only the fields of the contract."

export const fieldMap = noun(
  "field-map",
  "Fields that a business's messages carry in addition to those of the contract",
  [
    commandOf("show", getFieldMap, { nothing: noFields, examples: ["dockline field-map show acme"] }),
    commandOf("set", setFieldMap, {
      description: "Replace the field map of a business; new messages follow it",
      more: {
        fields: Arguments.texts("field", FieldText.readField).pipe(
          Flag.withMetavar("NAME=LABEL[:list]"),
          Flag.withDescription(
            `A field, ${FieldText.fieldsForm}: all values of the label, not the first only`
          )
        ),
        file: Arguments.text("file", "Take the whole map from this JSON file; - for standard input").pipe(
          Flag.withMetavar("PATH")
        )
      },
      body: Effect.fnUntraced(function*(_, { fields, file }) {
        if (Option.isSome(file) === fields.length > 0) {
          return yield* wrongUsage("Give the fields with --field, or all of them with --file")
        }
        return Option.isSome(file)
          ? yield* valueOf("--file", FieldText.readJson(yield* readText(file.value, "--file")))
          : fields
      }),
      nothing: noFields,
      examples: [
        "dockline field-map set acme --field LPN=lpn --field SKUs=sku:list",
        "dockline field-map set acme --file map.json  # As field-map show --json writes it"
      ]
    })
  ]
)

export const audit = noun("audit", "Changes by operators", [
  listCommand("list", operatorOperations.listAudit, {
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
