/** `dockline edi`: files of X12 that partners send and receive; `dockline edi-partner`: the partners. */
import {
  about,
  Arguments,
  call,
  commandOf,
  Following,
  listCommand,
  NotTaken,
  noun,
  Output,
  readBytes,
  valueOf
} from "@dockline/cli/commands/CommandParts"
import type { CapabilityCommand } from "@dockline/cli/commands/CommandParts"
import { Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ediOutboxes } from "../domain/EdiFile.ts"
import type { EdiFileView } from "../domain/EdiFile.ts"
import { getEdiFile, listEdiFiles, readEdiOutbox } from "../domain/EdiOperations.ts"
import type { EdiUnit } from "../domain/EdiPartner.ts"
import { ediPartnerOperations } from "../domain/EdiPartnerOperations.ts"
import * as Folder from "./Folder.ts"

/** The notation of a side. */
export const sideForm = "as QUALIFIER/ID, or QUALIFIER/ID/GROUP where groups have another id"

/**
 * The ids of a side in envelopes as one text: `ZZ/SUPPLIER`, or `ZZ/SUPPLIER/GROUP` if groups have another id.
 */
export interface Side {
  readonly qualifier: string
  readonly id: string
  readonly group?: string
}

/** Reads a side. The service checks its parts. An id with a slash cannot be written in this notation. */
export const sideOf = (text: string): Result.Result<Side, string> => {
  const [qualifier, id, group, ...others] = text.split("/")
  if (qualifier === undefined || id === undefined || id === "" || others.length > 0) {
    return Result.fail(`must be written ${sideForm}`)
  }
  return Result.succeed({ qualifier, id, ...(group === undefined ? {} : { group }) })
}

const {
  createEdiPartner,
  deleteEdiPartner,
  getEdiPartner,
  listEdiPartners,
  resendEdiFile,
  updateEdiPartner
} = ediPartnerOperations

const charset = Arguments.text("charset", "The charset of the files, such as iso-8859-1; UTF-8 when absent")
  .pipe(
    Flag.withMetavar("NAME")
  )

const shownSets = (files: ReadonlyArray<EdiFileView>) =>
  files.flatMap(({ control, partner, sets }) =>
    sets.map(({ kind, number, outcome, shipmentId }) => ({
      control,
      partner,
      set: kind,
      number,
      outcome,
      shipmentId
    }))
  )

/** Sends files, and prints the outcome of each set. */
const send = Command.make(
  "send",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("File of X12; - for standard input"),
      Argument.atLeast(1)
    ),
    business: Arguments.text("business", "The business whose partners the files come from"),
    charset
  },
  Effect.fnUntraced(function*({ business, charset, files }) {
    let failures = 0
    for (const file of files) {
      const bytes = yield* readBytes(file, "file")
      const { body, value } = yield* Folder.sendFile(bytes, {
        business: Option.getOrUndefined(business),
        charset: Option.getOrUndefined(charset)
      })
      yield* Output.answer({ body, value: shownSets(value.files) }, "No sets.")
      const faults = Folder.faultsOf(value.files)
      yield* Effect.forEach(faults, (fault) => Output.done(`${file}: ${fault}`), { discard: true })
      failures += value.files.filter(({ outcome }) => outcome === "PARTIAL" || outcome === "REJECTED").length
    }
    if (failures > 0) {
      return yield* new NotTaken({
        message: "Some sets were rejected: fix them, and send them again"
      })
    }
  })
).pipe(
  about(
    "Send X12 files as a partner does, and show the outcome of each set",
    "dockline edi send notice.edi",
    "dockline edi send notice.edi --json  # With its acknowledgment"
  )
)

const watch = Command.make(
  "watch",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder with the X12 files to send")
    ),
    business: Arguments.text(
      "business",
      "Send only to partners of this business, and write their outbox into in/, too"
    ),
    partner: Arguments.text("partner", "Only the outbox of this partner"),
    charset,
    interval: Following.interval,
    once: Arguments.switchFlag("once", "End after sending and writing everything that is there")
  },
  ({ business, charset, folder, interval, once, partner }) =>
    Folder.watch(folder, {
      business: Option.getOrUndefined(business),
      partner: Option.getOrUndefined(partner),
      charset: Option.getOrUndefined(charset),
      interval,
      once
    })
).pipe(
  about(
    "Send each file that is put into a folder, until Ctrl-C: it is moved to sent/ or refused/, and its acknowledgment is written to in/. With \
--business, in/ also gets the outbox of partners, each interchange once",
    "dockline edi watch mailbox --business acme",
    "dockline edi watch mailbox --business acme --partner supplier --once"
  )
)

const files = noun("edi", "EDI: X12 files that are exchanged with partners", [
  send,
  watch,
  listCommand("files", listEdiFiles, {
    columns: [
      "id",
      "at",
      "direction",
      ["facility", ({ business, facility }) => `${business.slug}/${facility.slug}`],
      "partner",
      "control",
      "kinds",
      "outcome",
      ["rejected", ({ rejectedCount, setCount }) => `${rejectedCount} of ${setCount}`]
    ],
    nothing: "No files.",
    examples: [
      "dockline edi files --business acme --direction IN --outcome REJECTED",
      "dockline edi files --partner supplier --limit 10"
    ]
  }),
  commandOf("show", getEdiFile, {
    part: ({ answer, faults, sets, text, ...file }) => ({
      ...file,
      business: file.business.slug,
      facility: file.facility.slug,
      sets: sets.map(({ kind, number, outcome }) => `${kind} ${number} ${outcome}`),
      faults: [...faults, ...sets.flatMap((set) => set.faults)],
      text,
      answer
    }),
    examples: ["dockline edi show 4711", "dockline edi show 4711 --json"]
  }),
  listCommand("outbox", readEdiOutbox, {
    arguments: ["business"],
    columns: ["id", "at", "facility", "partner", "control", "kinds", "outcome"],
    nothing: "Nothing is to be sent.",
    examples: ["dockline edi outbox acme", "dockline edi outbox acme --after 4711 --json  # With the texts"]
  }),
  commandOf("resend", resendEdiFile, {
    done: ({ fileId }) => Output.done(`What was rejected of file ${fileId} is sent again.`),
    examples: ["dockline edi resend acme 4711"]
  })
])

const sideFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}, ${sideForm}`),
    Flag.withMetavar("QUALIFIER/ID"),
    Flag.optional
  )

const sides = {
  theirs: sideFlag("theirs", "Who the partner is in envelopes"),
  ours: sideFlag("ours", "Who the facility is in envelopes")
}

const readSide = (flag: string, text: Option.Option<string>) =>
  Option.match(text, {
    onNone: () => Effect.undefined,
    onSome: (text) => valueOf(flag, sideOf(text))
  })

const settings = {
  ...sides,
  units: Flag.String("units").pipe(
    Flag.withDescription("What the partner means by codes of units, such as LB=UNIT,DZ=CASE; empty for none"),
    Flag.withMetavar("CODE=UNIT,…"),
    Flag.optional
  )
}

/** Reads the meanings of codes of units. The service checks their parts. */
const readUnits = (text: string): Result.Result<ReadonlyArray<EdiUnit>, string> => {
  const units = text.split(",").filter((part) => part.trim() !== "").map((part) => {
    const [code = "", unit = "", ...others] = part.split("=").map((each) => each.trim())
    return { code, unit, isWhole: code !== "" && unit !== "" && others.length === 0 }
  })
  return units.every(({ isWhole }) => isWhole)
    ? Result.succeed(units.map(({ code, unit }) => ({ code, unit })))
    : Result.fail("must be written as CODE=UNIT, with commas between several")
}

const withSettings = (
  config: Readonly<Record<string, unknown>>,
  { ours, theirs, units }: Command.Command.Config.Infer<typeof settings>
) =>
  Effect.map(
    Effect.all({
      ours: readSide("--ours", ours),
      theirs: readSide("--theirs", theirs),
      units: Option.match(units, {
        onNone: () => Effect.undefined,
        onSome: (text) => valueOf("--units", readUnits(text))
      })
    }),
    (read) => ({ ...config, ...read })
  )

const partners = noun("edi-partner", "EDI partners: with whom X12 files are exchanged", [
  listCommand("list", listEdiPartners, { examples: ["dockline edi-partner list acme"] }),
  commandOf("show", getEdiPartner, { examples: ["dockline edi-partner show acme supplier"] }),
  commandOf("create", createEdiPartner, {
    arguments: ["slug"],
    fields: [
      "slug",
      "facility",
      "name",
      "release",
      "usage",
      "takes",
      "tells",
      "tellsOf",
      "newPurposes",
      "nextControl"
    ],
    more: settings,
    body: withSettings,
    examples: [
      "dockline edi-partner create acme supplier --facility east --name \"Supplier Inc.\" --theirs ZZ/SUPPLIER --ours ZZ/WAREHOUSE",
      "dockline edi-partner create acme depositor --facility east --name Depositor --theirs 01/123456789 --ours ZZ/WAREHOUSE --takes 940 --tells 945 --usage T  # In tests"
    ]
  }),
  commandOf("update", updateEdiPartner, {
    fields: ["name", "release", "usage", "takes", "tells", "tellsOf", "newPurposes"],
    more: settings,
    body: withSettings,
    examples: ["dockline edi-partner update acme depositor --usage P  # From tests to production"]
  }),
  commandOf("delete", deleteEdiPartner, {
    question: (params) =>
      Effect.map(
        call(getEdiPartner, { params }),
        ({ value: { business, name, nextInterchange, slug } }) =>
          `Delete EDI partner ${slug} (${business}, ${name})? Its next control number is ${nextInterchange}.`
      ),
    done: ({ partner }) => Output.done(`Deleted EDI partner ${partner}.`),
    examples: ["dockline edi-partner delete acme depositor --yes"]
  })
])

/** The commands of the capability. */
export const edi: {
  readonly title: "EDI"
  readonly commands: readonly [CapabilityCommand<"edi">, CapabilityCommand<"edi-partner">]
  readonly outbox: typeof ediOutboxes
} = { title: "EDI", commands: [files, partners], outbox: ediOutboxes }
