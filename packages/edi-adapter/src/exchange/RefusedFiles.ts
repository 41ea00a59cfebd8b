/**
 * Records files that were refused as a whole, so that people see what their partners send (D18.3).
 *
 * Guarantee: of each interchange whose beginning names one partner to whom the client may send, the text and the fault are on record,
 * once for each text, and take no control number. What cannot be recorded is refused all the same.
 */
import type { BusinessScope, Principal } from "@dockline/core/Access"
import type { Directory } from "@dockline/core/Directory"
import { ediTextLimit } from "@dockline/core/EdiFile"
import type { EdiParty } from "@dockline/core/EdiPartner"
import type { EdiStore } from "@dockline/core/EdiStore"
import type { EdiRefused } from "@dockline/core/Errors"
import * as Authorize from "@dockline/core/internal/places/Authorize"
import { sha256 } from "@dockline/core/internal/values/WebCrypto"
import { Effect } from "effect"
import { defaultLimits } from "../x12/X12Limits.ts"
import { storable } from "./FileRecord.ts"

/** The beginning of an interchange, and its text up to that of the next one. */
interface Head {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  readonly control: string
  readonly text: string
}

/** ISA has elements of fixed widths: the segment ends after so many characters. */
const isaLength = 105

/** The characters of a control number (ISA13). */
const controlLength = 9

/** The most characters of a line break, with the terminator before it. */
const breakLength = 5

/** Whether a text ends with a segment, and with nothing but a line break after it. */
const endsWith = (text: string, terminator: string): boolean => {
  const at = text.lastIndexOf(terminator)
  return at >= 0 && text.slice(at + terminator.length).trim() === ""
}

/** The interchanges of a file, damaged or not, that begin with a whole ISA. */
const headsOf = (text: string): ReadonlyArray<Head> => {
  const first = text.length - text.trimStart().length
  const tag = text.slice(first, first + 4)
  const [separator = "", terminator = ""] = [tag[3], text[first + isaLength]]
  if (!tag.startsWith("ISA") || separator === "") return []
  const starts = [first]
  for (
    let at = first;
    starts.length < defaultLimits.interchanges && (at = text.indexOf(tag, at + 1)) > 0;
  ) {
    if (endsWith(text.slice(at - breakLength, at), terminator)) starts.push(at)
  }
  return starts.flatMap((start, index) => {
    const elements = text.slice(start, start + isaLength).split(separator)
    if (elements.length < 17) return []
    const [, , , , , senderQualifier = "", sender = "", receiverQualifier = "", receiver = ""] = elements
    return [{
      sender: { qualifier: senderQualifier.trimEnd(), id: sender.trimEnd() },
      receiver: { qualifier: receiverQualifier.trimEnd(), id: receiver.trimEnd() },
      control: storable(elements[13] ?? "").slice(0, controlLength),
      text: storable(text.slice(start, starts[index + 1])).slice(0, ediTextLimit)
    }]
  })
}

/** Makes the recording of files that were refused, of clients that may send to the businesses of a scope. */
export const refusalRecorder = (store: EdiStore["Service"], directory: Directory["Service"]) =>
  Effect.fnUntraced(
    function*(file: string, scope: BusinessScope, principal: Principal, error: EdiRefused) {
      for (const { control, receiver, sender, text } of headsOf(file)) {
        const [found, ...others] = yield* store.between(scope, { sender, receiver, control })
        if (found === undefined || others.length > 0) continue
        const { partner } = found
        const mayPass = yield* Effect.isSuccess(
          Authorize.permission(directory, principal, "documents:write", partner)
        )
        if (!mayPass) continue
        yield* store.refuse({ business: partner.business, partner: partner.slug }, {
          control,
          fingerprint: yield* sha256(JSON.stringify([partner.slug, text])),
          fault: storable(`${error.message}.`),
          text
        })
      }
    },
    (recording) => Effect.ignore(recording)
  )
