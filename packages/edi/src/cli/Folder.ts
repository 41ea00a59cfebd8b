/**
 * `dockline edi watch`: a folder as a mailbox of X12. The command sends each file put there, and writes what comes back into `in/`.
 *
 * Guarantee: a file is sent once it has stayed the same between two looks at the folder. It is moved after its answer is written, unless it
 * has changed again. A file that was sent before an interruption is sent again, and the service repeats its answer. A file that cannot be
 * read, or that the service refuses from this client, stays in the folder and delays no other. Each interchange for partners is written
 * whole under its own name before its id is noted, so that none is lost. After an interruption, the last one may be written again.
 */
import {
  call,
  Following,
  isPassing,
  NotTaken,
  printable,
  Refusal,
  Screen,
  ServiceCalls,
  WrongUsage
} from "@dockline/cli/commands/CommandParts"
import type { Problem } from "@dockline/cli/commands/CommandParts"
import { Clock, Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { HttpBody, HttpClientRequest } from "effect/http"
import { EdiAnswer, ediX12 } from "../domain/EdiFile.ts"
import type { EdiFileView } from "../domain/EdiFile.ts"
import { readEdiOutbox } from "../domain/EdiOperations.ts"

/** Sends a file byte for byte: the record of its interchanges, with their acknowledgments. */
export const sendFile = (
  bytes: Uint8Array,
  { business, charset }: { readonly business?: string | undefined; readonly charset?: string | undefined }
) =>
  Effect.flatMap(ServiceCalls, ({ send }) => {
    const type = charset === undefined ? ediX12 : `${ediX12}; charset=${charset}`
    const path = business === undefined ? "/v1/edi" : `/v1/edi?business=${encodeURIComponent(business)}`
    const request = HttpClientRequest.post(path, { body: HttpBody.uint8Array(bytes, type) })
    return send(HttpClientRequest.acceptJson(request), (response) =>
      Effect.gen(function*() {
        const body = yield* response.json
        return { body, value: yield* Schema.decodeUnknownEffect(EdiAnswer)(body) }
      }))
  })

/** The faults of files, each with its set. */
export const faultsOf = (files: ReadonlyArray<EdiFileView>): ReadonlyArray<string> =>
  files.flatMap(({ faults, sets }) => [
    ...faults,
    ...sets.flatMap(({ control, faults, kind }) => faults.map((fault) => `set ${kind} ${control}: ${fault}`))
  ])

export interface WatchOptions {
  /** The business whose interchanges for partners are written; none when absent. */
  readonly business: string | undefined
  readonly partner: string | undefined
  readonly charset: string | undefined
  /** Seconds between two looks at the folder. */
  readonly interval: number
  readonly once: boolean
}

/** A file as found by one look, with the properties that change while it is still being written. */
interface FolderFile {
  readonly name: string
  readonly state: string
}

/** The reason why a file stays in the folder, and the time of its next attempt, in milliseconds since 1970. */
interface RetryEntry {
  readonly state: string
  readonly reason: string
  readonly againAt: number
}

const folderFault = (path: string) => (error: { readonly message: string }) =>
  new WrongUsage({ message: `folder: ${path} cannot be used: ${error.message}` })

/** The pause between the two looks of a single run, in seconds. */
const settleSeconds = 1

/** The pause before the next attempt to send a file that stays in the folder, in milliseconds. */
const leftMillis = 60_000

const mailbox = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { say } = yield* Screen
  const usable = Effect.mapError(folderFault(folder))
  const inFolder = (name: string) => path.join(folder, name)
  if ((yield* usable(files.stat(folder))).type !== "Directory") {
    return yield* new WrongUsage({ message: `folder: ${folder} is no folder` })
  }
  yield* Effect.forEach(
    ["sent", "refused", "in"],
    (each) => usable(files.makeDirectory(inFolder(each), { recursive: true })),
    { discard: true }
  )

  /** The state of a file; `null` for anything else. */
  const stateOf = (name: string) =>
    Effect.map(files.stat(inFolder(name)), ({ mtime, size, type }) => {
      const time = Option.match(mtime, { onNone: () => "", onSome: (time) => time.toISOString() })
      return type === "File" ? `${size} ${time}` : null
    })

  const retries = new Map<string, RetryEntry>()

  /** Leaves a file that cannot be sent in the folder, and reports each reason once. */
  const leave = Effect.fnUntraced(function*(name: string, state: string, reason: string) {
    const isSaid = retries.get(name)?.reason === reason
    retries.set(name, { state, reason, againAt: (yield* Clock.currentTimeMillis) + leftMillis })
    if (!isSaid) yield* say(`Left ${printable(name)}: ${printable(reason)}`)
  })

  /** The present files of the folder. */
  const look = Effect.fnUntraced(function*() {
    const entries: Array<FolderFile> = []
    const names = (yield* usable(files.readDirectory(folder))).filter((name) => !name.startsWith("."))
    for (const name of names.toSorted()) {
      const state = yield* Effect.result(stateOf(name))
      if (Result.isFailure(state)) yield* leave(name, "", state.failure.message)
      else if (state.success !== null) entries.push({ name, state: state.success })
    }
    for (const name of retries.keys()) if (!names.includes(name)) retries.delete(name)
    return entries
  })

  /** Writes a file into `in/` by renaming a draft, so that no reader of the folder sees a part of a file. */
  const write = (name: string, text: string) => {
    const draft = path.join(folder, "in", `.${name}.part`)
    return usable(
      Effect.andThen(
        files.writeFileString(draft, text),
        files.rename(draft, path.join(folder, "in", name))
      )
    )
  }

  /** Moves a file into a folder, under a name that is free there, with its notes in a file beside it. */
  const move = Effect.fnUntraced(function*(name: string, to: string, notes: ReadonlyArray<string>) {
    const { ext, name: stem } = path.parse(name)
    let free = name
    for (let number = 2; yield* usable(files.exists(path.join(folder, to, free))); number++) {
      free = `${stem}.${number}${ext}`
    }
    yield* usable(files.rename(inFolder(name), path.join(folder, to, free)))
    retries.delete(name)
    if (notes.length > 0) {
      yield* usable(files.writeFileString(path.join(folder, to, `${free}.txt`), `${notes.join("\n")}\n`))
    }
  })

  return {
    left: retries,
    leave,
    look,
    move,
    write,
    read: (name: string) => files.readFile(inFolder(name)),
    /** The id noted in a file of `in/`; 0 without one. */
    noted: Effect.fnUntraced(function*(name: string) {
      const file = path.join(folder, "in", name)
      return (yield* usable(files.exists(file))) ? Number(yield* usable(files.readFileString(file))) : 0
    }),
    /** Whether a file has changed since it was seen. */
    hasChanged: ({ name, state }: FolderFile) =>
      Effect.map(Effect.result(stateOf(name)), (now) => Result.isFailure(now) || now.success !== state)
  }
})

type Mailbox = Effect.Success<ReturnType<typeof mailbox>>

/** Sends a file, and moves it. Returns `true` if the file has changed meanwhile, and has to be sent again. */
const send = Effect.fnUntraced(
  function*(box: Mailbox, file: FolderFile, to: Pick<WatchOptions, "business" | "charset">) {
    const { name, state } = file
    const { say } = yield* Screen
    const bytes = yield* Effect.result(box.read(name))
    if (Result.isFailure(bytes)) {
      yield* box.leave(name, state, bytes.failure.message)
      return false
    }
    const answer = yield* Effect.result(sendFile(bytes.success, to))
    if (Result.isFailure(answer)) {
      const error = answer.failure
      // A failure of the service says nothing about the file.
      if (!(error instanceof Refusal) || isPassing(error)) return yield* Effect.fail(error)
      const { detail, status } = error.problem
      if (status !== 400 && status !== 413) {
        yield* box.leave(name, state, `${detail} (${status})`)
        return false
      }
      if (yield* box.hasChanged(file)) return true
      yield* box.move(name, "refused", [detail])
      yield* say(`Refused ${name}: ${detail}`)
      return false
    }
    const { files } = answer.success.value
    for (const { answer, id } of files) if (answer !== "") yield* box.write(`${id}-997.edi`, answer)
    if (yield* box.hasChanged(file)) {
      yield* say(`${name} has changed while it was sent; it is sent again when it is whole`)
      return true
    }
    const isRefused = files.every(({ outcome }) => outcome === "REJECTED")
    yield* box.move(name, isRefused ? "refused" : "sent", faultsOf(files))
    yield* say(
      `${isRefused ? "Rejected" : "Sent"} ${name}: ${files.map(({ outcome }) => outcome).join(", ")}`
    )
    return false
  }
)

/** The cursor from which to resume if the service has dropped or lost interchanges after the cursor `after`; `undefined` if it has not. */
const placeAfter = ({ droppedId = 0, newestId }: typeof Problem.Type, after: number) => {
  if (droppedId > after) {
    return {
      after: droppedId,
      why:
        `Interchanges up to id ${droppedId} were dropped by age before all of them were fetched: agree with the partners on what they \
have missed. Going on after it`
    }
  }
  return newestId === undefined || newestId >= after ? undefined : {
    after: newestId,
    why:
      `The service has no interchange after id ${newestId}, though id ${after} was fetched: it has lost some, which its operator \
should know. Going on after id ${newestId}`
  }
}

/** Writes the interchanges for the partners of a business that come after the noted id. */
const fetchOutbox = Effect.fnUntraced(function*(box: Mailbox, business: string, partner: string | undefined) {
  const { say } = yield* Screen
  // A slug has no full stop.
  const cursor = [".outbox", business, ...(partner === undefined ? [] : [partner])].map(encodeURIComponent)
    .join(".")
  for (let after = yield* box.noted(cursor);;) {
    const page = yield* Effect.result(call(readEdiOutbox, { query: { business, partner, after } }))
    if (Result.isFailure(page)) {
      const { failure } = page
      const gap = failure instanceof Refusal ? placeAfter(failure.problem, after) : undefined
      if (gap === undefined) return yield* Effect.fail(failure)
      yield* say(gap.why)
      after = gap.after
      yield* box.write(cursor, String(after))
      continue
    }
    const { items, next } = page.success.value
    for (const { id, kinds, partner, text } of items) {
      const name = `${id}-${partner}-${kinds.join("-")}.edi`
      yield* box.write(name, text)
      yield* box.write(cursor, id)
      after = Number(id)
      yield* say(`Wrote in/${name}`)
    }
    if (next === null) return
  }
})

export const watch = Effect.fnUntraced(
  function*(folder: string, { business, charset, interval, once, partner }: WatchOptions) {
    const box = yield* mailbox(folder)
    let before: ReadonlyArray<FolderFile> = []

    /**
     * Sends the files that have settled, fetches interchanges for partners, and says whether more files wait.
     */
    const round = Effect.gen(function*() {
      const now = yield* box.look()
      const time = yield* Clock.currentTimeMillis
      const settledFiles = now.filter(({ name, state }) =>
        before.some((entry) => entry.name === name && entry.state === state)
      )
      before = now
      let changes = 0
      for (const file of settledFiles) {
        const retry = box.left.get(file.name)
        if (retry?.state === file.state && time < retry.againAt) continue
        if (yield* send(box, file, { business, charset })) changes++
      }
      if (business !== undefined) yield* fetchOutbox(box, business, partner)
      return now.length > settledFiles.length || changes > 0
    })

    let isFirst = true
    for (;;) {
      // A run that cannot begin ends at once. A run that has begun waits until the service is back.
      const { tookMillis, value: isMore } = yield* isFirst || once
        ? Effect.map(round, (value) => ({ value, tookMillis: 0 }))
        : Following.withTiming(round)
      isFirst = false
      if (once && !isMore) break
      yield* Following.rest(once ? settleSeconds : interval, tookMillis)
    }
    // Forgets a file that was removed meanwhile.
    yield* box.look()
    if (box.left.size > 0) {
      return yield* new NotTaken({ message: `Not every file was sent: ${box.left.size} left in ${folder}` })
    }
  }
)
