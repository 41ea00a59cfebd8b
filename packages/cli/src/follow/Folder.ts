/**
 * `dockline edi watch`: a folder as a mailbox of X12. What is put there is sent, and what comes back is in `in/`.
 *
 * Guarantee: a file is sent when it has not changed between two looks, and moved when its answer is written; one that was sent before an
 * interruption is sent again, which the service answers as before. Each interchange for partners is written whole under a name of its
 * own before its id is noted, so that none is missed and none is there twice.
 */
import { operations } from "@dockline/core/Operations"
import { Effect, FileSystem, Option, Path } from "effect"
import * as EdiCalls from "../EdiCalls.ts"
import { Refused, WrongUsage } from "../Failure.ts"
import { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import * as Following from "./Following.ts"

/** What is exchanged, and how often. */
export interface Watched {
  /** Whose interchanges for partners are written; none when absent. */
  readonly business: string | undefined
  readonly partner: string | undefined
  readonly charset: string | undefined
  /** Seconds between two looks. */
  readonly interval: number
  readonly once: boolean
}

/** A file as it was seen: what changes while it is still being written. */
interface Seen {
  readonly name: string
  readonly state: string
}

const folderFault = (path: string) => (error: { readonly message: string }) =>
  new WrongUsage({ message: `folder: ${path} cannot be used: ${error.message}` })

/** The pause between the two looks of a single run, in seconds. */
const settleSeconds = 1

/** Watches a folder. */
export const watch = Effect.fnUntraced(
  function*(folder: string, { charset, interval, once, ...asked }: Watched) {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { say } = yield* Screen
    const usable = Effect.mapError(folderFault(folder))
    const [sent, refused, came] = ["sent", "refused", "in"].map((name) => path.join(folder, name)) as [
      string,
      string,
      string
    ]
    if ((yield* usable(files.stat(folder))).type !== "Directory") {
      return yield* new WrongUsage({ message: `folder: ${folder} is no folder` })
    }
    yield* Effect.forEach(
      [sent, refused, came],
      (each) => usable(files.makeDirectory(each, { recursive: true })),
      {
        discard: true
      }
    )

    const look = Effect.fnUntraced(function*() {
      const found: Array<Seen> = []
      for (const name of (yield* usable(files.readDirectory(folder))).toSorted()) {
        if (name.startsWith(".")) {
          continue
        }
        const info = yield* usable(files.stat(path.join(folder, name)))
        if (info.type !== "File") {
          continue
        }
        const modified = Option.match(info.mtime, { onNone: () => "", onSome: (time) => time.toISOString() })
        found.push({ name, state: `${info.size} ${modified}` })
      }
      return found
    })

    /** Writes a file whole: who looks into the folder never sees a part of one. */
    const write = (name: string, text: string) => {
      const draft = path.join(came, `.${name}.part`)
      return usable(
        Effect.andThen(files.writeFileString(draft, text), files.rename(draft, path.join(came, name)))
      )
    }

    /** Moves a file to a folder, under a name that no other has there. */
    const move = Effect.fnUntraced(function*(name: string, to: string) {
      const { ext, name: stem } = path.parse(name)
      let free = name
      for (let number = 2; yield* usable(files.exists(path.join(to, free))); number++) {
        free = `${stem}.${number}${ext}`
      }
      yield* usable(files.rename(path.join(folder, name), path.join(to, free)))
      return free
    })

    const sendOne = Effect.fnUntraced(function*(name: string) {
      const bytes = yield* usable(files.readFile(path.join(folder, name)))
      const { value } = yield* EdiCalls.send(bytes, charset)
      for (const { answer, id } of value.files) if (answer !== "") yield* write(`${id}-997.edi`, answer)
      const faults = EdiCalls.faultsOf(value.files)
      const isRefused = value.files.every(({ outcome }) => outcome === "REJECTED")
      const moved = yield* move(name, isRefused ? refused : sent)
      yield* say(
        `${isRefused ? "Rejected" : "Sent"} ${name}: ${value.files.map(({ outcome }) => outcome).join(", ")}`
      )
      if (faults.length > 0) {
        yield* usable(
          files.writeFileString(
            path.join(isRefused ? refused : sent, `${moved}.txt`),
            `${faults.join("\n")}\n`
          )
        )
      }
    })

    /** Sends a file; one that the service refuses for good is put aside with the reason. */
    const sendOrPutAside = (name: string) =>
      Effect.catch(sendOne(name), (error) =>
        Effect.gen(function*() {
          // Who may not send, or a service that is away, is no fault of the file.
          const isOfFile = error instanceof Refused && [400, 413].includes(error.problem.status)
          if (!isOfFile) return yield* error
          const moved = yield* move(name, refused)
          yield* usable(
            files.writeFileString(path.join(refused, `${moved}.txt`), `${error.problem.detail}\n`)
          )
          yield* say(`Refused ${name}: ${error.problem.detail}`)
        }))

    const cursorFile = path.join(
      came,
      `.outbox${asked.business === undefined ? "" : `-${asked.business}`}${
        asked.partner === undefined ? "" : `-${asked.partner}`
      }`
    )

    const fetchOutbox = Effect.fnUntraced(function*() {
      if (asked.business === undefined) return
      const noted = (yield* usable(files.exists(cursorFile)))
        ? yield* usable(files.readFileString(cursorFile))
        : "0"
      for (let after = Number(noted);;) {
        const { value } = yield* call(operations.ediOutbox, {
          query: { business: asked.business, partner: asked.partner, after }
        })
        for (const { id, kinds, partner, text } of value.items) {
          const name = `${id}-${partner}-${kinds.join("-")}.edi`
          yield* write(name, text)
          yield* write(path.basename(cursorFile), id)
          after = Number(id)
          yield* say(`Wrote in/${name}`)
        }
        if (value.next === null) return
      }
    })

    let before: ReadonlyArray<Seen> = []
    let isFirst = true
    for (;;) {
      const round = Effect.gen(function*() {
        const now = yield* look()
        const settled = now.filter(({ name, state }) =>
          before.some((seen) => seen.name === name && seen.state === state)
        )
        before = now
        yield* Effect.forEach(settled, ({ name }) => sendOrPutAside(name), { discard: true })
        yield* fetchOutbox()
        return now.length > settled.length
      })
      // A run that cannot even begin ends at once; later it goes on when the service is there again.
      const { tookMillis, value: isMore } = yield* isFirst || once
        ? Effect.map(round, (value) => ({ value, tookMillis: 0 }))
        : Following.timed(round)
      isFirst = false
      if (once && !isMore) return
      yield* Following.rest(once ? settleSeconds : interval, tookMillis)
    }
  }
)
