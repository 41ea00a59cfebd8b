/** A lane: what runs, what waits, whose turn it is, and who is sent away. */
import { assert, describe, it } from "vitest"
import { WorkLane } from "../../src/limits/WorkLane.ts"
import type { LaneConfig, Ticket } from "../../src/limits/WorkLane.ts"

const generous: LaneConfig = {
  running: 2,
  runningPerBusiness: 2,
  runningPerClient: 2,
  waiting: 4,
  burstMillis: 1000,
  standingMillis: 100,
  paused: 100,
  idle: 100
}

/** The first letter names the business, and all before a digit the client. */
const share = (name: string) => ({ business: name[0]!, client: name.replace(/\d+$/, "") })

/** A lane on a clock of its own, and what became of what entered it, by name. */
const setup = (config: Partial<LaneConfig> = {}) => {
  let now = 0
  const lane = new WorkLane({ ...generous, ...config }, () => now)
  const log: Array<string> = []
  const tickets = new Map<string, Ticket>()
  return {
    lane,
    log,
    advance: (millis: number) => void (now += millis),
    enter: (...names: ReadonlyArray<string>) => {
      for (const name of names) {
        tickets.set(name, lane.enter(share(name), () => log.push(`+${name}`), () => log.push(`-${name}`)))
      }
    },
    end: (...names: ReadonlyArray<string>) => names.forEach((name) => tickets.get(name)!.end()),
    pause: (...names: ReadonlyArray<string>) => {
      for (const name of names) tickets.get(name)!.pause(() => log.push(`?${name}`))
    },
    pauseForCertain: (...names: ReadonlyArray<string>) => {
      for (const name of names) tickets.get(name)!.pause()
    },
    resume: (...names: ReadonlyArray<string>) => {
      for (const name of names) {
        tickets.get(name)!.resume(() => log.push(`*${name}`), () => log.push(`!${name}`))
      }
    },
    resumeAtOnce: (name: string) => tickets.get(name)!.resume(() => log.push(`*${name}`)),
    idle: (...names: ReadonlyArray<string>) => names.forEach((name) => tickets.get(name)!.idle()),
    awake: (...names: ReadonlyArray<string>) => names.forEach((name) => tickets.get(name)!.awake())
  }
}

describe("a lane", () => {
  it("runs as much at once as it may, and the next as one ends", () => {
    const { end, enter, lane, log } = setup()
    enter("a1", "b1", "c1")
    assert.deepStrictEqual(log, ["+a1", "+b1"])
    end("a1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "+c1"])
    end("b1", "c1")
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })

  it("counts an end once, however often it is told", () => {
    const { end, enter, log } = setup({ running: 1 })
    enter("a1", "b1", "c1")
    end("a1", "a1", "a1")
    assert.deepStrictEqual(log, ["+a1", "+b1"])
  })

  it("refuses what comes when as much waits as may wait", () => {
    const { enter, log } = setup({ running: 1, waiting: 2 })
    enter("a1", "a2", "a3", "a4")
    assert.deepStrictEqual(log, ["+a1", "-a4"])
  })

  it("lets nobody run more than its share, and others run meanwhile", () => {
    const { end, enter, log } = setup({ running: 3, runningPerClient: 2 })
    enter("a1", "a2", "a3", "b1")
    assert.deepStrictEqual(log, ["+a1", "+a2", "+b1"])
    end("b1")
    assert.deepStrictEqual(log, ["+a1", "+a2", "+b1"])
    end("a2")
    assert.deepStrictEqual(log, ["+a1", "+a2", "+b1", "+a3"])
  })

  it("lets clients take turns, however much each has waiting", () => {
    const { end, enter, log } = setup({ running: 1, waiting: 10 })
    enter("a1", "a2", "a3", "a4", "b1", "c1", "b2")
    for (const name of ["a1", "a2", "b1", "c1", "a3"]) end(name)
    assert.deepStrictEqual(log, ["+a1", "+a2", "+b1", "+c1", "+a3", "+b2"])
  })

  // @threat load.22
  it("lets no business run more than its share, however many clients it has", () => {
    const { end, enter, log } = setup({ running: 3 })
    enter("aa1", "ab1", "ac1", "b1")
    assert.deepStrictEqual(log, ["+aa1", "+ab1", "+b1"])
    end("aa1")
    assert.deepStrictEqual(log, ["+aa1", "+ab1", "+b1", "+ac1"])
  })

  it("lets businesses take turns, and their clients within them, however many clients each has", () => {
    const { end, enter, log } = setup({ running: 1, waiting: 10 })
    enter("aa1", "aa2", "aa3", "ab1", "ac1", "b1", "b2")
    for (const name of ["aa1", "aa2", "b1", "ab1", "b2", "ac1"]) end(name)
    assert.deepStrictEqual(log, ["+aa1", "+aa2", "+b1", "+ab1", "+b2", "+ac1", "+aa3"])
  })

  it("makes the business with most waiting give way when the queue is full, and there the client with most", () => {
    const { enter, lane, log } = setup({ running: 1, waiting: 4 })
    enter("b1", "aa1", "ab1", "ab2", "ac1")
    enter("b2", "c1")
    assert.deepStrictEqual(log, ["+b1", "-ab2", "-aa1"])
    enter("ad1")
    assert.deepStrictEqual(log.slice(3), ["-ad1"])
    assert.strictEqual(lane.stats.waiting, 4)
  })

  it("counts idle work in its share only, so that others run meanwhile, and it goes on at once", () => {
    const { awake, end, enter, idle, lane, log } = setup({ running: 2 })
    enter("aa1", "ab1", "b1", "b2")
    idle("aa1", "ab1")
    assert.deepStrictEqual(log, ["+aa1", "+ab1", "+b1", "+b2"])
    enter("ac1")
    assert.deepStrictEqual(lane.stats, { running: 2, idle: 2, waiting: 1, refused: 0 })
    awake("ab1")
    assert.deepStrictEqual(lane.stats, { running: 3, idle: 1, waiting: 1, refused: 0 })
    end("aa1", "b1")
    assert.strictEqual(lane.stats.waiting, 1)
    end("b2")
    assert.deepStrictEqual(log.slice(4), ["+ac1"])
    end("ab1", "ac1")
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })

  it("counts work as idle until each of its parts goes on, and no more work than may be", () => {
    const { awake, enter, idle, lane } = setup({
      running: 4,
      runningPerBusiness: 4,
      runningPerClient: 4,
      idle: 1
    })
    enter("a1", "a2")
    idle("a1", "a1", "a2")
    assert.deepStrictEqual([lane.stats.running, lane.stats.idle], [1, 1])
    awake("a1", "a2")
    assert.deepStrictEqual([lane.stats.running, lane.stats.idle], [1, 1])
    awake("a1")
    assert.deepStrictEqual([lane.stats.running, lane.stats.idle], [2, 0])
  })

  it("makes whoever has most waiting give way when the queue is full", () => {
    const { end, enter, log } = setup({ running: 1, waiting: 3 })
    enter("a1", "a2", "a3", "a4", "b1")
    assert.deepStrictEqual(log, ["+a1", "-a4"])
    end("a1", "a2")
    assert.deepStrictEqual(log, ["+a1", "-a4", "+a2", "+b1"])
  })

  it("refuses what has waited for too long, and takes what has not", () => {
    const { advance, end, enter, log } = setup({ running: 1 })
    enter("a1", "a2")
    advance(900)
    enter("b1")
    advance(200)
    end("a1")
    assert.deepStrictEqual(log, ["+a1", "-a2"].concat("-b1"), "the queue has stood for more than a second")
    enter("b2")
    assert.deepStrictEqual(log.at(-1), "+b2")
  })

  it("lets a burst wait for long, and in a queue that does not empty for a short time only", () => {
    const { advance, end, enter, log } = setup({ running: 1, waiting: 10 })
    enter("a1", "a2")
    advance(900)
    end("a1")
    assert.deepStrictEqual(log, ["+a1", "+a2"])
    enter("a3")
    for (let round = 0; round < 3; round++) {
      advance(400)
      enter(`b${round}`)
    }
    advance(50)
    end("a2")
    assert.deepStrictEqual(log.slice(2), ["-a3", "-b0", "-b1"].toSorted().concat("+b2"))
  })

  it("begins no new burst where the queue empties for a moment, as it does when the process was held up", () => {
    const { advance, end, enter, lane, log } = setup({ running: 1, waiting: 10 })
    const standing = () => {
      enter("a1", "a2")
      for (let round = 0; round < 4; round++) {
        advance(300)
        enter(`b${round}`)
      }
      // All of it has waited for too long, so the end of what runs leaves nothing.
      advance(150)
      end("a1")
    }
    standing()
    assert.strictEqual(lane.stats.waiting, 0)
    enter("c1", "c2")
    advance(99)
    enter("c3")
    advance(2)
    log.length = 0
    end("c1")
    assert.deepStrictEqual(log, ["-c2", "+c3"])
    end("c3")
    advance(100)
    enter("d1", "d2")
    advance(900)
    end("d1")
    assert.deepStrictEqual(log.slice(2), ["+d1", "+d2"])
  })

  it("refuses what waits too long though nothing ends", async () => {
    const lane = new WorkLane({ ...generous, running: 1, burstMillis: 30 })
    lane.enter(share("a"), () => undefined, () => undefined)
    await new Promise<void>((resolve, reject) => lane.enter(share("b"), reject, resolve))
    assert.deepStrictEqual(lane.stats, { running: 1, idle: 0, waiting: 0, refused: 1 })
  })

  it("forgets what goes away while it waits", () => {
    const { end, enter, lane, log } = setup({ running: 1 })
    enter("a1", "b1", "c1")
    end("b1", "a1")
    assert.deepStrictEqual(log, ["+a1", "+c1"])
    assert.deepStrictEqual(lane.stats, { running: 1, idle: 0, waiting: 0, refused: 0 })
  })

  it("does not count what is paused, which then takes its turn as others do", () => {
    const { end, enter, lane, log, pause, resume } = setup({ running: 1, waiting: 10 })
    enter("a1", "b1", "b2", "c1")
    pause("a1")
    resume("a1")
    assert.deepStrictEqual(log, ["+a1", "+b1"])
    assert.deepStrictEqual(lane.stats, { running: 1, idle: 0, waiting: 3, refused: 0 })
    for (const name of ["b1", "c1", "b2", "a1"]) end(name)
    assert.deepStrictEqual(log, ["+a1", "+b1", "+c1", "+b2", "*a1"])
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })

  it("goes on at once with paused work that may not be refused, and counts it", () => {
    const { end, enter, lane, log, pause, resumeAtOnce } = setup({ running: 1, waiting: 10 })
    enter("a1", "b1", "c1")
    pause("a1")
    resumeAtOnce("a1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "*a1"])
    assert.strictEqual(lane.stats.running, 2)
    end("b1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "*a1"])
    end("a1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "*a1", "+c1"])
  })

  it("goes on at once with what was never paused, has room, or is over", () => {
    const { end, enter, lane, log, pause, resume } = setup()
    enter("a1", "b1")
    resume("a1")
    pause("b1")
    resume("b1")
    end("a1")
    resume("a1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "*a1", "*b1", "*a1"])
    assert.strictEqual(lane.stats.running, 1)
  })

  // @threat load.25
  it("runs no more of one business than its share, however much of it was paused and goes on at once", () => {
    const { enter, end, lane, log, pause, resume } = setup({
      running: 8,
      runningPerBusiness: 4,
      runningPerClient: 3,
      waiting: 1000,
      paused: 1000
    })
    const names = Array.from({ length: 500 }, (_, at) => `a${"abcde"[at % 5]}${at}`)
    for (const name of names) {
      enter(name)
      pause(name)
    }
    resume(...names)
    assert.deepStrictEqual(lane.stats, { running: 4, idle: 0, waiting: 496, refused: 0 })
    enter("b1", "b2", "b3")
    assert.strictEqual(lane.stats.running, 7)
    assert.deepStrictEqual(log.slice(500), ["*aa0", "*ab1", "*ac2", "*ad3", "+b1", "+b2", "+b3"])
    for (let at = 500; lane.stats.waiting > 0; at++) {
      if (log[at]!.startsWith("*")) end(log[at]!.slice(1))
      assert.isAtMost(lane.stats.running, 7)
    }
    assert.strictEqual(log.filter((entry) => entry.startsWith("*")).length, 500)
  })

  it("refuses paused work that waits for its turn for too long, and forgets that which goes away", () => {
    const { advance, end, enter, lane, log, pause, resume } = setup({ running: 1 })
    enter("a1")
    pause("a1")
    enter("b1")
    pause("b1")
    advance(5000)
    enter("c1")
    resume("a1", "b1")
    end("b1")
    advance(1001)
    end("c1")
    assert.deepStrictEqual(log, ["+a1", "+b1", "+c1", "!a1"])
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 1 })
  })

  const roomy = { running: 20, runningPerBusiness: 20, runningPerClient: 20 }

  // @threat load.25
  it("refuses what has been paused for longest, of the business and there of the client with most, where more is paused than may be", () => {
    const { enter, lane, log, pause } = setup({ ...roomy, paused: 4 })
    enter("aa1", "ab1", "ab2", "c1", "c2", "c3", "d1", "e1", "f1")
    log.length = 0
    pause("aa1", "ab1", "ab2", "c1")
    assert.deepStrictEqual(lane.stats, { running: 5, idle: 0, waiting: 0, refused: 0 })
    pause("c2")
    assert.deepStrictEqual(log, ["?ab1"])
    pause("c3")
    assert.deepStrictEqual(log, ["?ab1", "?c1"], "of those who have as much, who pauses more")
    pause("d1")
    assert.deepStrictEqual(log.slice(2), ["?aa1"])
    pause("e1")
    assert.deepStrictEqual(log.slice(3), ["?c2"])
    pause("f1")
    assert.deepStrictEqual(log.slice(4), ["?ab2"], "of those who have one, who has had it for longest")
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 5 })
  })

  it("refuses in place of what may not be refused, which counts on where all that is paused is such", () => {
    const { end, enter, lane, log, pause, pauseForCertain, resume, resumeAtOnce } = setup({
      ...roomy,
      paused: 2
    })
    enter("a1", "b1", "c1", "c2", "d1")
    log.length = 0
    pause("a1")
    pauseForCertain("b1", "c1", "c2")
    assert.deepStrictEqual(log, ["?a1"])
    assert.strictEqual(lane.stats.running, 2)
    pause("d1")
    assert.deepStrictEqual(log, ["?a1", "?d1"])
    resume("a1", "d1")
    assert.deepStrictEqual(log.slice(2), ["!a1", "!d1"], "what was refused goes on no more")
    resumeAtOnce("b1")
    enter("e1")
    pause("e1")
    assert.deepStrictEqual(lane.stats, { running: 2, idle: 0, waiting: 0, refused: 2 })
    end("a1", "b1", "c1", "c2", "d1", "e1")
    enter("f1", "f2")
    pause("f1", "f2")
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 2 })
  })

  it("takes any number that are over as soon as they begin, one after another and not within each other", () => {
    const count = 5000
    const lane = new WorkLane({ ...generous, running: 1, waiting: count }, () => 0)
    const first = lane.enter(share("a"), () => undefined, () => undefined)
    let done = 0
    for (let at = 0; at < count; at++) {
      const ticket = lane.enter(share("a"), () => {
        done++
        ticket.end()
      }, () => undefined)
    }
    first.end()
    assert.strictEqual(done, count)
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })

  // @threat load.10
  it("begins no more in a turn of the event loop than it may, whose turn it is first, though all ends at once", async () => {
    const lane = new WorkLane({ ...generous, running: 9, perTurn: 2, waiting: 10 }, () => 0)
    const turns: Array<Array<string>> = [[]]
    const count = new Promise<void>((resolve) => {
      const tell = () => turns.push([]) < 5 ? void setImmediate(tell) : resolve()
      setImmediate(tell)
    })
    for (const name of ["a1", "a2", "a3", "a4", "b1"]) {
      const ticket = lane.enter(
        share(name),
        () => {
          turns.at(-1)!.push(name)
          queueMicrotask(() => ticket.end())
        },
        () => assert.fail(name)
      )
    }
    await count
    assert.deepStrictEqual(turns, [["a1", "a2"], ["a3", "b1"], ["a4"], [], []])
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 0 })
  })

  it("refuses nothing twice, nor what has begun, whatever a refusal brings about", () => {
    const { advance, end, enter, lane, log } = setup({ running: 1, waiting: 10 })
    enter("a1")
    // As one is refused, what runs ends: the next is begun or refused within that.
    lane.enter(share("b"), () => log.push("+b1"), () => {
      log.push("-b1")
      end("a1")
      enter("c1")
    })
    enter("b2", "b3")
    advance(2000)
    enter("d1")
    end("a1")
    assert.deepStrictEqual(log, ["+a1", "-b1", "+c1"])
    assert.deepStrictEqual(lane.stats, { running: 1, idle: 0, waiting: 3, refused: 1 })
    end("c1")
    assert.deepStrictEqual(log.slice(3), ["-b2", "-b3", "+d1"])
    assert.deepStrictEqual(lane.stats, { running: 1, idle: 0, waiting: 0, refused: 3 })
  })

  it("goes on where one that it begins or refuses throws, which is nobody else's error", async () => {
    const { advance, end, enter, lane, log } = setup({ running: 1, waiting: 10 })
    const errors: Array<unknown> = []
    const others = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException")
    process.on("uncaughtException", (error) => errors.push(error))
    enter("a1")
    lane.enter(share("b"), () => {
      throw "begun"
    }, () => undefined)
    enter("c1")
    end("a1")
    lane.enter(share("d"), () => undefined, () => {
      throw "refused"
    })
    enter("e1")
    advance(2000)
    end("c1")
    await new Promise((resolve) => setImmediate(resolve))
    process.removeAllListeners("uncaughtException")
    others.forEach((listener) => process.on("uncaughtException", listener))
    assert.deepStrictEqual(errors, ["begun", "refused"])
    assert.deepStrictEqual(log, ["+a1", "+c1", "-e1"])
    assert.deepStrictEqual(lane.stats, { running: 0, idle: 0, waiting: 0, refused: 2 })
  })
})
