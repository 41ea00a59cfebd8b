/**
 * Records files that were refused as a whole, so that people see what their partners send (D18.3).
 *
 * Guarantee: a file of one interchange whose beginning names one partner to whom the client may send is on record with its fault, once
 * for each text, and takes no control number. A file of several is not: its fault is about one of them, and where that ends is not known.
 * What cannot be recorded is refused all the same. Where its ISA asks for a TA1, one that rejects it is to be sent, from the transaction of the record (D23.6).
 */
import type { BusinessScope, Principal } from "@dockline/core/access/Access"
import * as Slices from "@dockline/core/input/Slices"
import * as Authorize from "@dockline/core/places/Authorize"
import type { Directory } from "@dockline/core/places/Directory"
import { sha256 } from "@dockline/core/values/WebCrypto"
import { Cause, Effect } from "effect"
import type { EdiRefused } from "../domain/EdiErrors.ts"
import { ediTextLimit } from "../domain/EdiFile.ts"
import type { EdiParty } from "../domain/EdiPartner.ts"
import type { EdiStore } from "../domain/EdiStore.ts"
import { storable } from "./FileRecord.ts"
import { rejecting } from "./InterchangeAnswer.ts"
import { codeOf } from "./Record.ts"

interface Head {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  readonly control: string
  readonly date: string
  readonly time: string
  readonly wantsAcknowledgment: boolean
}

/** ISA has elements of fixed widths: the segment ends after so many characters. */
const isaLength = 105

/** The characters of a control number (ISA13). */
const controlLength = 9

/** How far a text is looked through between two steps, in characters, and what that costs in the unit of slices. */
const [stepLength, stepCost] = [65_536, 500]

/** What may not stand before the beginning of an interchange, and what may not follow its three letters. */
const [before, behind] = [/[A-Za-z0-9]/, /[A-Za-z0-9\s]/]

/** Whether another interchange seems to begin behind the beginning of a text, whatever its delimiters are; it looks no further than that. */
function* beginsAgain(text: string): Slices.Steps<boolean> {
  let from = 0
  for (let at = text.indexOf("ISA", 3); at !== -1; at = text.indexOf("ISA", at + 3)) {
    const next = text[at + 3] ?? " "
    if (!before.test(text[at - 1] ?? "") && !behind.test(next)) return true
    if (at - from < stepLength) continue
    yield stepCost
    from = at
  }
  return false
}

/** The beginning of the interchange of a text, damaged or not, if it has one alone and a whole ISA, in steps. */
export function* headOf(text: string): Slices.Steps<Head | undefined> {
  if (!text.startsWith("ISA") || behind.test(text[3] ?? " ")) return undefined
  const elements = text.slice(0, isaLength).split(text[3] ?? "")
  if (elements.length < 17 || (yield* beginsAgain(text))) return undefined
  const [, , , , , senderQualifier = "", sender = "", receiverQualifier = "", receiver = ""] = elements
  return {
    sender: { qualifier: senderQualifier.trimEnd(), id: sender.trimEnd() },
    receiver: { qualifier: receiverQualifier.trimEnd(), id: receiver.trimEnd() },
    control: storable((elements[13] ?? "").slice(0, controlLength)),
    date: elements[9] ?? "",
    time: elements[10] ?? "",
    wantsAcknowledgment: elements[14] === "1"
  }
}

/** Makes the recording of files that were refused, of clients that may send to the businesses of a scope. */
export const refusalRecorder = (store: EdiStore["Service"], directory: Directory["Service"]) =>
  Effect.fnUntraced(
    function*(file: string, scope: BusinessScope, principal: Principal, error: EdiRefused) {
      const text = storable(file.trimStart().slice(0, ediTextLimit))
      const head = yield* Slices.run(headOf(text))
      if (head === undefined) return
      const [addressee, ...others] = yield* store.between(scope, head)
      if (addressee === undefined || others.length > 0) return
      const { partner, timeZone } = addressee
      yield* Authorize.permission(directory, principal, "documents:write", partner)
      const record = {
        control: head.control,
        fingerprint: yield* sha256(JSON.stringify([partner.slug, text])),
        fault: storable(`${error.message}.`),
        text
      }
      // What is asked for again and again is answered once; an ISA without a number cannot be.
      const isAnswered = head.wantsAcknowledgment && /^\d{9}$/.test(head.control)
      yield* store.refuse(
        partner,
        record,
        isAnswered ? rejecting(head, codeOf(error), timeZone) : undefined
      )
    },
    (recording) =>
      Effect.catchCause(
        recording,
        (cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.interrupt
            : Effect.logWarning("A refused EDI file is not on record", cause)
      )
  )
