/** Readers that did not see their log or were not told of what is gone, and messages that stay or go too early. */
import { judges, Script } from "./Script.ts"

const reader = (facility: string | null = null) => new Script().reader(facility)
const three = (script: Script) => script.log(1).log(2).log(3)
const expired = (script: Script, afterId: number, droppedId: number) =>
  script.tell({ type: "expired", reader: "R", afterId, droppedId })

judges(
  "readers see the log",
  ["each message once, in order", reader().sees(1, 2, 5).log(1).log(2).log(3, { business: "globex" }).log(5)],
  ["of one facility its own", reader("east").sees(1, 3).log(1).log(2, { facility: "west" }).log(3)],
  ["one of another facility", reader("east").sees(1).log(1, { facility: "west" }), 1],
  ["a gap at the beginning", three(reader().sees(2, 3)), 1],
  ["a gap in between", three(reader().sees(1, 3)), 1],
  ["a gap at the end", three(reader().sees(1, 2)), 1],
  ["nothing at all", reader().log(1), 1],
  ["a repeat", reader().sees(1, 1, 2).log(1).log(2), 1],
  ["another order", reader().sees(2, 1).log(1).log(2), 1],
  ["one that the log does not hold", reader().sees(1, 2).log(1), 1],
  ["another payload", reader().sees([1, { digest: "another" }]).log(1), 1],
  ["another facility", reader().sees([1, { facility: "west" }]).log(1), 1],
  ["another type", reader().sees([1, { messageType: "SHIPMENT_COMPLETE" }]).log(1), 1],
  ["a reader that nobody knows", reader().sees([1, { reader: "other" }]), 1],
  ["expired ones are left out", three(expired(reader().sees(1), 1, 3).sees(4)).log(4)],
  ["others are left out too", three(expired(reader().sees(1), 1, 3).sees(5)).log(4).log(5), 1],
  ["more are left out than were told", three(expired(reader().sees(1), 2, 3).sees(4)).log(4), 1]
)

/** Messages 1 and 2 are copied, 3 and 4 are lost, and 10 comes after them. */
const after = (...ids: ReadonlyArray<number>) =>
  reader().copied().promoted({ acme: 2 }, 3, 4).sees(...ids).log(1).log(2).log(10)

judges(
  "readers see the log",
  ["nothing of what is lost", after(1, 2, 10)],
  ["the first that is lost", after(1, 2, 3, 10)],
  ["all that is lost", after(1, 2, 3, 4, 10)],
  ["not what came after a promotion", after(1, 2, 3), 1],
  ["not what was there before a promotion", after(1, 10), 1],
  ["the end only of what is lost", after(1, 2, 4, 10), 1]
)

const ahead = (script: Script, asked = script.history.length) =>
  script.tell({ type: "ahead", reader: "R", afterId: 3, newestId: 2, asked })
const advanced = (script: Script) => script.tell({ type: "advanced", newestId: 9 })
const beyond = () => reader().sees(1, 3).copied().promoted({ acme: 2 }, 3)
const toldTwice = () => {
  const script = ahead(beyond())
  const asked = script.history.length
  return ahead(advanced(script), asked)
}

judges(
  "readers are told",
  ["a reader beyond the log is told", advanced(ahead(beyond()))],
  ["a reader beyond the log is not told", advanced(beyond()), 1],
  ["a reader is told after ids were moved on", ahead(advanced(beyond())), 2],
  ["a reader is told as ids are moved on", toldTwice()],
  ["ids are not moved on", ahead(beyond()), 1],
  ["nobody is told without a promotion", reader().sees(1)],
  ["somebody is told without a promotion", ahead(reader().sees(1)), 1],
  ["a reader within the log is not told", advanced(reader().sees(1).copied().promoted({ acme: 2 }, 3))]
)

judges(
  "ids are given once",
  ["a message comes again under its id", reader().sees(1, 1).post(1, 204).post(1, 204)],
  ["a reader gets another one", reader().sees(1, [1, { digest: "another" }]), 1],
  ["an endpoint gets another one", reader().post(1, 204).post(1, 204, { digest: "another" }), 1]
)

const swept = (left: number) =>
  new Script().tell({ type: "swept", instance: 0, expired: 9, left, millis: 100 })

judges("expired messages go", ["none is left", swept(0)], ["one is left", swept(1), 1])

const retention = () => three(new Script().tell({ type: "retention", millis: 3000 }).reader())
const drop = (script: Script, id: number, age: number | null) =>
  script.tell({ type: "dropped", business: "acme", id, age })
const dropped = () => drop(retention(), 1, 4000)

judges(
  "nothing else goes",
  ["what is old enough is dropped, or where clocks are wrong", drop(drop(retention(), 1, 3001), 2, null)],
  ["what is too young is dropped", drop(retention(), 1, 2900), 1],
  ["something is dropped where messages do not expire", drop(new Script(), 1, 1e9), 1],
  ["a reader is told of what was dropped", expired(dropped(), 0, 1)],
  ["a reader is told of what was not dropped", expired(dropped(), 0, 2), 1],
  ["a reader is told of what it has read", expired(dropped(), 1, 1), 1]
)
