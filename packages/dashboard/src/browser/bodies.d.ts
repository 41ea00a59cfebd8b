/** What `pages/Bodies.ts` writes when the pages are built. */
declare module "dockline:bodies" {
  /** A body, or a part of it, as JSON Schema says what it may hold. */
  export interface BodySchema {
    readonly type?: "object" | "array" | "string" | "boolean" | "integer" | "number"
    readonly description?: string
    readonly enum?: ReadonlyArray<string>
    readonly examples?: ReadonlyArray<string>
    readonly maxLength?: number
    readonly maxItems?: number
    readonly minimum?: number
    readonly items?: BodySchema
    readonly properties?: Readonly<Record<string, BodySchema>>
    readonly required?: ReadonlyArray<string>
    readonly anyOf?: ReadonlyArray<BodySchema>
    /** What each value of a record may hold. */
    readonly additionalProperties?: BodySchema
  }

  /** The bodies by the routes of their operations. */
  const bodies: Readonly<Record<string, BodySchema>>
  export default bodies
}
