/** The keys that tokens are signed with, on PostgreSQL, shared by all instances. */
import { SigningKeyStore } from "@dockline/core/access/SigningKeyStore"
import type { SigningKey } from "@dockline/core/access/SigningKeyStore"
import { Effect, Layer, Redacted, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { operations } from "../connections/StoreOperations.ts"
import { timestamp } from "../rows/RowFields.ts"

const KeyRow = Schema.Struct({ id: Schema.String, jwk: Schema.String, createdAt: timestamp })

const toKey = ({ jwk, ...key }: typeof KeyRow.Type): SigningKey => ({
  ...key,
  privateJwk: Redacted.make(jwk)
})

/** The signing keys in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<SigningKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  SigningKeyStore,
  Effect.map(operations, ({ operation, query, sql, transact }) => {
    const list = query(KeyRow)`select id, private_jwk as jwk, dockline.rfc3339(created_at) as "createdAt"
      from dockline.signing_key order by signing_key.created_at desc, id`.pipe(
      Effect.map((rows) => rows.map(toKey))
    )

    const rotate = Effect.fnUntraced(function*(key: SigningKey, unlessSince: string, dropBefore: string) {
      // Without the lock, instances that start together would each find no key and add one.
      yield* sql`lock table dockline.signing_key in share row exclusive mode`
      yield* sql`insert into dockline.signing_key (id, private_jwk, created_at)
        select ${key.id}, ${Redacted.value(key.privateJwk)}, ${key.createdAt}::timestamptz
        where not exists (select from dockline.signing_key where created_at > ${unlessSince}::timestamptz)`
      yield* sql`delete from dockline.signing_key where created_at < ${dropBefore}::timestamptz
        and id <> (select id from dockline.signing_key order by created_at desc, id limit 1)`
      return yield* list
    })

    return SigningKeyStore.of({
      list: operation(list),
      rotate: (key, unlessSince, dropBefore) => transact()(rotate(key, unlessSince, dropBefore))
    })
  })
)
