/** Kind of a redemption's holder. */
export type HolderKind = 'CHECKOUT_SESSION' | 'SUBSCRIPTION';

/** Takes a slot and keeps it until it confirms or releases. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** Environment time of the reservation. */
  readonly heldAt: Date;
  /** Real time from which the holder may be checked. */
  readonly askAt: Date;
}

/**
 * A stored slot. Has the tenant fields of an aggregate, so that background work knows its
 * environment.
 */
export interface SlotDocument {
  /** `<discount id>:<number>`: the first insert wins. */
  readonly _id: string;
  readonly environmentId: string;
  readonly organizationId: string;
  readonly live: boolean;
  readonly timeline: string;
  readonly discountId: string;
  readonly number: number;
  readonly stamp: number;
  readonly state: 'FREE' | 'HELD' | 'CONFIRMED';
  readonly holderKind: HolderKind | null;
  /** In a free slot its own number, because the unique index includes free slots. */
  readonly holderId: string;
  readonly heldAt: Date | null;
  /** Held slots only. */
  readonly askAt: Date | null;
  /** Number of checks so far. */
  readonly timesAsked: number;
}

/** The fields that change when a slot is taken. */
export type SlotState = Pick<
  SlotDocument,
  'state' | 'holderKind' | 'holderId' | 'heldAt' | 'askAt' | 'timesAsked'
>;

export function slotId(discountId: string, number: number): string {
  return `${discountId}:${String(number)}`;
}

export function free(number: number): SlotState {
  return {
    state: 'FREE',
    holderKind: null,
    holderId: `free:${String(number)}`,
    heldAt: null,
    askAt: null,
    timesAsked: 0,
  };
}

export function heldBy({ kind, id, heldAt, askAt }: Holder): SlotState {
  return { state: 'HELD', holderKind: kind, holderId: id, heldAt, askAt, timesAsked: 0 };
}
