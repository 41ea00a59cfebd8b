/** D2.4: in every body in JSON, `""` in a field that may be left out means that it is absent, if it is no value of the field. */
import { Result, SchemaAST } from "effect"
import type { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { capabilities } from "../../../server/src/Capabilities.ts"
import { declaredOfOperators } from "../../src/capability/DeclaredOperations.ts"
import { declaredOperations } from "../../src/capability/DeclaredOperations.ts"
import type { Reader } from "../../src/input/RequestInput.ts"
import { operatorOperations } from "../../src/operator/OperatorOperations.ts"

interface Write {
  readonly name: string
  readonly body?: Schema.Top
  readonly read?: Reader<unknown>
}

const all = Object.values({
  ...declaredOperations(capabilities),
  ...operatorOperations,
  ...declaredOfOperators(capabilities)
} as Readonly<Record<string, Write>>)

/** A body with one field, and the same without it. */
interface Pair {
  readonly path: string
  readonly empty: unknown
  readonly absent: unknown
}

/** A pair for each optional field of a schema, however deep. */
const pairsOf = (ast: SchemaAST.AST, values: Readonly<Record<string, unknown>> = {}): ReadonlyArray<Pair> => {
  if (ast._tag === "Arrays") {
    return ast.rest.flatMap((entry) => pairsOf(entry)).map(({ absent, empty, path }) => ({
      path: `[].${path}`,
      empty: [empty],
      absent: [absent]
    }))
  }
  if (ast._tag === "Union") {
    return ast.types.flatMap((member) => {
      const type = SchemaAST.isObjects(member)
        ? member.propertySignatures.find(({ name }) => name === "type")?.type
        : undefined
      return pairsOf(member, type !== undefined && SchemaAST.isLiteral(type) ? { type: type.literal } : {})
    })
  }
  if (ast._tag !== "Objects") return []
  return ast.propertySignatures.flatMap(({ name: key, type }) => {
    const name = String(key)
    const within = pairsOf(type).map(({ absent, empty, path }) => ({
      path: `${name}.${path}`,
      empty: { ...values, [name]: empty },
      absent: { ...values, [name]: absent }
    }))
    return SchemaAST.isOptional(type) && type._tag !== "Objects"
      ? [{ path: name, empty: { ...values, [name]: "" }, absent: values }, ...within]
      : within
  })
}

const faultsOf = (read: Reader<unknown>, body: unknown) =>
  Result.match(read(body), { onFailure: ({ errors }) => errors, onSuccess: () => [] })

const cases = all.flatMap(({ body, name, read }) =>
  body === undefined || read === undefined ? [] : pairsOf(body.ast).map((pair) => ({ ...pair, name, read }))
)

describe("D2.4 an empty field of a body", () => {
  it("is one of many", () => {
    assert.isAbove(cases.length, 60)
  })

  it.each(cases.map((each) => [`${each.name} ${each.path}`, each] as const))(
    "%s is absent",
    (_, { absent, empty, read }) => {
      assert.deepStrictEqual(faultsOf(read, empty), faultsOf(read, absent))
    }
  )
})
