/** The queries of the pages are valid in the schema of the service, and select all fields of their types. */
import { GraphqlEngine } from "@dockline/graphql-adapter/engine/Engine"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { getNamedType, isObjectType, parse, TypeInfo, validate, visit, visitWithTypeInfo } from "graphql"
import type { FieldNode, GraphQLSchema } from "graphql"
import { globSync } from "node:fs"
import { engine } from "../../graphql-adapter/test/EngineSetup.ts"
import * as operations from "../src/browser/api/operations.ts"
import type { DashboardCapability } from "../src/browser/capability.ts"
import { offeredParts } from "../src/browser/capability.ts"

const {
  fieldOf,
  changesOf: _changes,
  listsOf: _lists,
  listsOfShipments: _ofShipments,
  parts,
  readPages: _pages,
  readsOf: _reads,
  ...requests
} = operations

const modulesOf = async <Each>(pattern: string): Promise<ReadonlyArray<Each>> => {
  const modules = await Promise.all(
    globSync(`../src/browser/*/${pattern}`, { cwd: import.meta.dirname }).map(
      (file) => import(file) as Promise<Readonly<Record<string, Each>>>
    )
  )
  return modules.flatMap((module) => Object.values(module))
}

/** The operations of capabilities' pages that are in a file of their own. */
const ofCapabilities = modulesOf<{ readonly text: string }>("*Lists.ts")

/** The additions of capabilities to the views of the contract. */
const extensions = modulesOf<DashboardCapability | string>("*Extension.ts")

/** The parts of answers of which a text leaves out fields. */
const incomplete = (schema: GraphQLSchema, text: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  const types = new TypeInfo(schema)
  const check = ({ name, selectionSet }: FieldNode): void => {
    const type = getNamedType(types.getType() ?? undefined)
    if (parts[name.value] === undefined || !isObjectType(type)) return
    const fields = selectionSet?.selections.flatMap((each) => each.kind === "Field" ? [each.name.value] : [])
    if (Object.keys(type.getFields()).some((field) => fields?.includes(field) !== true)) {
      names.push(name.value)
    }
  }
  visit(parse(text), visitWithTypeInfo(types, { Field: check }))
  return names
}

it.effect("the operations of the pages are valid, and select parts whole", () =>
  Effect.gen(function*() {
    const { schema } = yield* GraphqlEngine
    offeredParts.value = (yield* Effect.promise(() => extensions)).filter((each) => typeof each === "object")
    const texts = [
      ...Object.values(requests).map(({ text }) => text),
      ...(yield* Effect.promise(() => ofCapabilities)).map(({ text }) => text),
      `{ s: ${fieldOf.shipment("1")} p: ${fieldOf.palletsFrom("1", "2", 3)} }`
    ]
    for (const text of texts) {
      expect(validate(schema, parse(text)), text).toEqual([])
      expect(incomplete(schema, text), text).toEqual([])
    }
  }).pipe(Effect.provide(engine())))
