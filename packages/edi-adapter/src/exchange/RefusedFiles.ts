/**
 * Records files that were refused as a whole, so that people see what their partners send (D18.3).
 *
 * Guarantee: a file of one interchange whose beginning names one partner to whom the client may send is on record with its fault, once
 * for each text, and takes no control number. A file of several is not: its fault is about one of them, and where that ends is not known.
 * What cannot be recorded is refused all the same.
 */
import type { BusinessScope, Principal } from "@dockline/core/Access"
import type { Directory } from "@dockline/core/Directory"
import { ediTextLimit } from "@dockline/core/EdiFile"
import type { EdiParty } from "@dockline/core/EdiPartner"
import type { EdiStore } from "@dockline/core/EdiStore"
import type { EdiRefused } from "@dockline/core/Errors"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import { sha256 } from "@dockline/core/internal/values/WebCrypto"
import { Cause, Effect } from "effect"
import { storable } from "./FileRecord.ts"

interface Head {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  readonly control: string
}

/** ISA has elements of fixed widths: the segment ends after so many characters. */
const isaLength = 105

/** The characters of a control number (ISA13). */
const controlLength = 9

/** What looks like the beginning of an interchange, whatever its delimiters are. */
const beginning = /(?<![A-Za-z0-9])ISA(?=[^A-Za-z0-9\s])/g

/** The beginning of the interchange of a text, damaged or not, if it has one alone and a whole ISA. */
const headOf = (text: string): Head | undefined => {
  if (!text.startsWith("ISA") || (text.match(beginning) ?? []).length !== 1) return undefined
  const elements = text.slice(0, isaLength).split(text[3] ?? "")
  if (elements.length < 17) return undefined
  const [, , , , , senderQualifier = "", sender = "", receiverQualifier = "", receiver = ""] = elements
  return {
    sender: { qualifier: senderQualifier.trimEnd(), id: sender.trimEnd() },
    receiver: { qualifier: receiverQualifier.trimEnd(), id: receiver.trimEnd() },
    control: storable((elements[13] ?? "").slice(0, controlLength))
  }
}

/** Makes the recording of files that were refused, of clients that may send to the businesses of a scope. */
export const refusalRecorder = (store: EdiStore["Service"], directory: Directory["Service"]) =>
  Effect.fnUntraced(
    function*(file: string, scope: BusinessScope, principal: Principal, error: EdiRefused) {
      const text = storable(file.trimStart().slice(0, ediTextLimit))
      const head = headOf(text)
      if (head === undefined) return
      const [found, ...others] = yield* store.between(scope, head)
      if (found === undefined || others.length > 0) return
      const { partner } = found
      yield* Authorize.permission(directory, principal, "documents:write", partner)
      yield* store.refuse({ business: partner.business, partner: partner.slug }, {
        control: head.control,
        fingerprint: yield* sha256(JSON.stringify([partner.slug, text])),
        fault: storable(`${error.message}.`),
        text
      })
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
