/**
 * What the bodies of operators' requests may hold, as the service says: with its words, and with the operations of its capabilities. They
 * are loaded before the first page of operators is shown.
 */
import type { BodySchema } from "../../pages/Bodies.ts"
import { send } from "./request.ts"

let bodies: Readonly<Record<string, BodySchema>> = {}

export const loadBodies = async (): Promise<void> => {
  bodies = await send("/bodies") as typeof bodies
}

/** The body of the operation of a route, if it takes one. */
export const bodyOf = (route: string): BodySchema | undefined => bodies[route]
