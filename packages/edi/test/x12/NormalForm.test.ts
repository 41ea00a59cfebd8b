/** D18.3: a repeated interchange is recognised by its segments, however its lines are wrapped. */
import * as Slices from "@dockline/core/input/Slices"
import * as Law from "@dockline/testing/Law"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { normalForm, read } from "../../src/x12/X12Reader.ts"
import { fileWith, noticeOf } from "../Files.ts"

const formsOf = (file: string): ReadonlyArray<string> =>
  Result.getOrThrow(read(file)).map(({ delimiters, end, start }) =>
    Slices.atOnce(normalForm(file.slice(start, end), delimiters))
  )

const segments = (file: string) => file.split("~\n").slice(0, -1)

const plain = fileWith("856", "SH", noticeOf("S-1", ["L1", "L2"]))

const wraps = fc.constantFrom("", "\n", "\r\n", "\n\n", " \n", "\t", "\ufeff")

Law.register({ describe, it }, "D18.3: the normal form of an interchange", [
  Law.make(
    "is the same in every wrapping, and with lines as segments",
    fc.tuple(fc.array(wraps, { minLength: 30, maxLength: 30 }), wraps, fc.constantFrom("~", "\n", "\r", "'")),
    ([between, before, terminator]) => {
      const file = before +
        segments(plain).map((each, at) => `${each}${terminator}${between[at] ?? ""}`).join("")
      assert.deepStrictEqual(formsOf(file), formsOf(plain))
    },
    300
  ),
  Law.make(
    "is another where a segment differs, is left out, or is moved",
    fc.tuple(fc.nat(20), fc.constantFrom("edit", "swap", "cut")),
    ([at, way]) => {
      const lines = segments(plain)
      const place = 3 + at % (lines.length - 7)
      const edit = way === "edit"
        ? lines.with(place, `${lines[place]}0`)
        : way === "cut"
        ? lines.toSpliced(place, 1)
        : lines.with(place, lines[place + 1]!).with(place + 1, lines[place]!)
      assert.notDeepEqual(formsOf(edit.map((each) => `${each}~`).join("")), formsOf(plain))
    },
    100
  )
])
