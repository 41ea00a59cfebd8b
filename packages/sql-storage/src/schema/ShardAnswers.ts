/**
 * How functions of a capability that span businesses query the shards of a cluster and merge their answers. Its part in PostgreSQL names
 * them in the slot `spanning` (`SqlCapability`). On a single PostgreSQL the functions run unchanged.
 */
export {
  everyShard,
  first,
  firsts,
  page,
  shardsOfBusinesses,
  shardsOfIds,
  shardsOfScopes,
  values
} from "./cluster/Merging.ts"
export type { ShardsOf as Asked, Text } from "./cluster/Merging.ts"
