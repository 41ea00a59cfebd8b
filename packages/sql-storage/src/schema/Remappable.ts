/**
 * The rule of who may be remapped, in SQL: it only narrows what `core/Remap` chooses from. A test holds that it leaves out no
 * order that core would choose.
 */

/** The status of the shipment of an order. */
export const statusOf = (order: string): string =>
  `(select s.status from dockline.shipment s
          where s.business_id = p_business and s.id = ${order}.shipment_id)`

/** Some shipment that the shipment of an order is linked to, or null. */
export const linkOf = (order: string): string =>
  `(select l.shipment_id from dockline.shipment_link l
          where l.business_id = p_business and l.shipment_id = ${order}.shipment_id limit 1)`

/** Of the orders `o` with a number, those on a shipment that is scheduled and not linked. */
export const remappable = (
  { direction, facility, key }: {
    readonly facility: string
    readonly key: string
    readonly direction: string
  }
): string =>
  `o.business_id = p_business and o.facility_id = ${facility} and o.number_key = ${key}
        and o.direction = ${direction}
        and ${statusOf("o")} = 'SCHEDULED'
        and ${linkOf("o")} is null`
