/**
 * How functions of a capability that span businesses query the shards of a cluster and merge their answers: the slot `spanning` of its part
 * in PostgreSQL (`SqlCapability`). One PostgreSQL runs the functions as they are.
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
