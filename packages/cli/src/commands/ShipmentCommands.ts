/**
 * `dockline search`, `shipment`, `order` and `pallet`. `dockline shipment watch` shows the progress of shipments until each has departed or
 * is cancelled: a terminal shows one line for each shipment, redrawn at each change; other outputs get a line for each change.
 */
import { operations } from "@dockline/core/operations/Operations"
import type { SearchHit } from "@dockline/core/search/SearchHit"
import type { Progress } from "@dockline/core/shipment/Discrepancies"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { Clock, Effect, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { about, noun } from "../Arguments.ts"
import { jsonText } from "../Failure.ts"
import * as Following from "../follow/Following.ts"
import { Json } from "../GlobalFlags.ts"
import { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import * as Table from "../Table.ts"
import { commandOf, listCommand } from "./DerivedCommand.ts"

const expectedPassed = ({ expectedPallets, missingPallets }: Progress): number =>
  expectedPallets - missingPallets

/** How many of the expected pallets have passed. */
export const passText = (progress: Progress): string =>
  `${expectedPassed(progress)} of ${progress.expectedPallets}`

/** The number of expected pallets that have passed, and the numbers of missing and unexpected pallets unless they are 0. */
export const sentence = (progress: Progress): string =>
  [
    `${passText(progress)} passed`,
    ...(progress.missingPallets === 0 ? [] : [`${progress.missingPallets} missing`]),
    ...(progress.unexpectedPallets === 0 ? [] : [`${progress.unexpectedPallets} unexpected`])
  ].join(", ")

/** A bar that is full if and only if pallets are expected and none is missing. */
export const bar = (progress: Progress, width: number): string => {
  const { expectedPallets } = progress
  const full = expectedPallets === 0 ? 0 : Math.floor((expectedPassed(progress) / expectedPallets) * width)
  return "█".repeat(full) + "░".repeat(width - full)
}

/** The most shipments to watch at a time. */
export const most = 20

type Line = Pick<ShipmentView, "id" | "shipmentNumber" | "status" | "dockSlug" | "progress">

const lineOf = ({ dockSlug, id, progress, shipmentNumber, status }: ShipmentView): Line => ({
  id,
  shipmentNumber,
  status,
  dockSlug,
  progress
})

const isOpen = ({ status }: Line): boolean => status === "SCHEDULED" || status === "ARRIVED"

const columns: Table.Columns<Line> = {
  id: ({ id }) => String(id),
  number: ({ shipmentNumber }) => shipmentNumber,
  status: ({ status }) => status,
  dock: ({ dockSlug }) => dockSlug || "-"
}

const gap = "  "

const shortestBar = 10
const longestBar = 40

/** One line with a bar for each shipment; no line is wider than the terminal. */
export const picture = (all: ReadonlyArray<Line>, width: number): string => {
  const lines = all.map((shipment) => ({
    cells: Table.cells(columns, shipment),
    progress: shipment.progress,
    counts: sentence(shipment.progress)
  }))
  const widths = Table.widths(lines.map(({ cells }) => cells))
  const otherWidth = widths.reduce((sum, column) => sum + column + gap.length, gap.length) +
    Math.max(...lines.map(({ counts }) => counts.length))
  const barWidth = Math.min(longestBar, Math.max(shortestBar, width - otherWidth))
  return lines.map(({ cells, counts, progress }) => {
    const parts = [Table.line(cells, widths, false), bar(progress, barWidth), counts]
    return Table.truncate(parts.join(gap), width)
  }).join("\n")
}

/** Moves the cursor up by this many lines and to the first column, and clears the screen from there. */
const back = (lines: number): string => (lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`)

const drawing = Effect.gen(function*() {
  const screen = yield* Screen
  const asJson = yield* Json
  const { columns: width } = screen
  const lines = new Map<number, string>()
  let height = 0
  return Effect.fnUntraced(function*(all: ReadonlyArray<Line>) {
    const changes = all.filter((each) => lines.get(each.id) !== JSON.stringify(each))
    for (const each of changes) lines.set(each.id, JSON.stringify(each))
    if (changes.length === 0) return
    if (asJson) return yield* screen.data(changes.map((each) => jsonText(each)).join("\n"))
    if (width !== undefined) {
      yield* screen.data(`${back(height)}${picture(all, width)}`)
      height = all.length
      return
    }
    const time = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* screen.data(
      changes.map((each) => [time, ...Table.cells(columns, each), sentence(each.progress)].join(gap)).join(
        "\n"
      )
    )
  })
})

const read = (id: string) =>
  Effect.map(call(operations.shipment, { params: { id } }), ({ value }) => lineOf(value))

/** Watches the shipments with these ids, with a pause of at least `seconds` between two reads of the open shipments. */
export const watchProgress = Effect.fnUntraced(function*(ids: ReadonlyArray<string>, seconds: number) {
  const draw = yield* drawing
  const different = Array.from(new Set(ids))
  // If an id is unknown or the service cannot be reached, this first read ends the command.
  let all = yield* Effect.forEach(different, read)
  yield* draw(all)
  let tookMillis = 0
  while (all.some(isOpen)) {
    yield* Following.rest(seconds, tookMillis)
    const looks = yield* Effect.forEach(all, (each) =>
      isOpen(each)
        ? Following.withTiming(read(String(each.id)))
        : Effect.succeed<Following.Timing<Line>>({ value: each, tookMillis: 0 }))
    all = looks.map(({ value }) => value)
    tookMillis = looks.reduce((sum, look) => sum + look.tookMillis, 0)
    yield* draw(all)
  }
})

interface Position {
  readonly business: { readonly slug: string }
  readonly facility: { readonly slug: string }
}

const facility = [
  "facility",
  ({ business, facility }: Position) => `${business.slug}/${facility.slug}`
] as const

interface OfShipment {
  readonly shipmentId: number
  readonly shipmentNumber: string
}

/** A shipment by its id and its number. */
export const shipmentOf = ({ shipmentId, shipmentNumber }: OfShipment): string =>
  `${shipmentId} (${shipmentNumber})`

export const search = listCommand("search", operations.search, {
  arguments: ["text"],
  columns: [
    "kind",
    "text",
    ["shipment", (hit: SearchHit) => `${shipmentOf(hit)} ${hit.status}`.trimEnd()],
    facility,
    "orderNumber",
    "palletId",
    [
      "removed",
      ({ documentId, removedAt, removedBy }) =>
        documentId === 0 ? "" : `${removedAt} by ${removedBy}, document ${documentId}`
    ]
  ],
  nothing: "No shipment, order, trailer or pallet has this number or license plate.",
  examples: ["dockline search SO-1001", "dockline search 000018 --business acme  # By the end of an SSCC"]
})

const watch = Command.make(
  "watch",
  {
    ids: Arguments.slugOrName("shipment", "The shipment's id").pipe(Argument.between(1, most)),
    interval: Following.interval
  },
  ({ ids, interval }) => watchProgress(ids, interval)
).pipe(
  about(
    "Watch shipments until they have departed, or until Ctrl-C: bars at a terminal, elsewhere a line for each change",
    "dockline shipment watch 1",
    "dockline shipment watch 1 2 --json  # One JSON document for each change"
  )
)

/** `dockline shipment`, with the verbs of capabilities. */
export const shipmentWith = <const Verbs extends ReadonlyArray<Command.Command.Any>>(verbs: Verbs) =>
  noun("shipment", "Shipments, and the pallets that have passed", [
    listCommand("list", operations.shipments, {
      flags: { shipmentNumber: "number", trailerNumber: "trailer" },
      columns: [
        "id",
        ["number", "shipmentNumber"],
        "status",
        "direction",
        facility,
        "dockSlug",
        ["passed", ({ progress }) => passText(progress)],
        ["unexpected", "unexpectedPallets"]
      ],
      examples: [
        "dockline shipment list --business acme --facility east --status ARRIVED",
        "dockline shipment list --number SO-1001  # Find the id of a shipment",
        "dockline shipment list --lpn 003401234500004711  # Which shipment a pallet belongs to",
        "dockline shipment list --status SCHEDULED --order EARLIEST --limit 10  # What comes next",
        "dockline shipment list --status DEPARTED --discrepancies  # What has left with something missing, or too much",
        "dockline shipment list --csv  # All of them, for a spreadsheet"
      ]
    }),
    commandOf("show", operations.shipment, { examples: ["dockline shipment show 1"] }),
    listCommand("items", operations.items, {
      columns: [
        "id",
        "orderNumber",
        "lpn",
        "sku",
        ["quantity", ({ quantity, quantityUnit }) => `${quantity} ${quantityUnit}`.trimEnd()],
        "lot",
        "description"
      ],
      examples: [
        "dockline shipment items 1",
        "dockline shipment items 1 --find lot-7  # By an LPN, SKU, description, lot or purchase order",
        "dockline shipment items 1 --unseen  # What no tower has seen"
      ]
    }),
    listCommand("pallets", operations.shipmentPallets, {
      columns: ["id", "lpn", "state", "expected", "dockSlug", "lastSeenAt", "orders"],
      nothing: "No pallet was seen.",
      examples: ["dockline shipment pallets 1"]
    }),
    listCommand("discrepancies", operations.discrepancies, {
      columns: [
        "kind",
        "lpn",
        "palletId",
        "dockSlug",
        [
          "expected on",
          ({ expectedOnId, expectedOnNumber }) =>
            expectedOnId === 0 ? "" : `${expectedOnId} (${expectedOnNumber})`
        ],
        "provisional"
      ],
      examples: ["dockline shipment discrepancies 1"]
    }),
    ...verbs,
    watch,
    commandOf("arrive", operations.arrive, {
      flags: { occurredAt: "at", dockSlug: "dock" },
      examples: [
        "dockline shipment arrive 1",
        "dockline shipment arrive 1 --dock D1 --at \"$(date -u +%FT%TZ)\""
      ]
    }),
    commandOf("depart", operations.depart, {
      flags: { occurredAt: "at" },
      examples: ["dockline shipment depart 1"]
    }),
    commandOf("check-in", operations.checkIn, {
      arguments: ["step"],
      flags: { occurredAt: "at", dockSlug: "dock" },
      examples: [
        "dockline shipment check-in 1 AT_FACILITY",
        "dockline shipment check-in 1 DOOR_ASSIGNED --dock D1"
      ]
    }),
    commandOf("link", operations.link, {
      arguments: ["linkedShipmentId"],
      examples: ["dockline shipment link 1 2"]
    }),
    commandOf("cancel", operations.cancel, { examples: ["dockline shipment cancel 1"] })
  ])

export const order = noun("order", "Orders of shipments", [
  listCommand("list", operations.orders, {
    flags: { orderNumber: "number" },
    columns: [
      "id",
      ["number", "orderNumber"],
      "status",
      "direction",
      facility,
      ["shipment", shipmentOf],
      "items"
    ],
    examples: ["dockline order list --number SO-1001"]
  })
])

const readLabel = (text: string) => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  return name === undefined ? Result.fail("name=value, such as lpn=LPN-1") : Result.succeed({ name, value })
}

export const pallet = noun("pallet", "Pallets that towers have seen", [
  listCommand("find", operations.pallets, {
    arguments: ["lpn"],
    columns: ["id", "state", ["shipment", shipmentOf], "expected", facility, "dockSlug", "lastSeenAt"],
    nothing: "No pallet with this license plate was seen.",
    examples: [
      "dockline pallet find LPN-1",
      "dockline pallet find LPN-1 --business acme --facility east --json"
    ]
  }),
  commandOf("show", operations.pallet, { examples: ["dockline pallet show 1 815"] }),
  commandOf("record", operations.recordPallet, {
    flags: {
      eventId: "event",
      dockSlug: "dock",
      occurredAt: "at",
      shipmentId: "shipment",
      labels: Arguments.texts("label", readLabel).pipe(
        Flag.withMetavar("NAME=VALUE"),
        Flag.withDescription("A label that was read from the pallet, such as lpn=LPN-1")
      )
    },
    examples: [
      "dockline pallet record --event E-1 --business acme --facility east --dock D1 --direction LOADING " +
      "--at \"$(date -u +%FT%TZ)\" --label lpn=LPN-1"
    ]
  })
])
