/** Who may hold a redemption. */
export type HolderKind = 'CHECKOUT_SESSION' | 'SUBSCRIPTION';

/** Takes a slot, and keeps it until it says what becomes of it. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** Business time of the reservation. */
  readonly heldAt: Date;
  /** Real time after which it is asked whether it still wants the slot. */
  readonly askAt: Date;
}

/** A slot in the database. It says whose it is as aggregates do, so that work without a caller knows its environment. */
export interface SlotDocument {
  /** `<discount id>:<number>`: whoever inserts it first has it. */
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
  /** Of a free slot its own number, because the unique index counts those too. */
  readonly holderId: string;
  readonly heldAt: Date | null;
  /** Of a held slot alone. */
  readonly askAt: Date | null;
  /** How often its holder was asked. */
  readonly timesAsked: number;
}

/** What changes when somebody takes a slot. */
export type Possession = Pick<
  SlotDocument,
  'state' | 'holderKind' | 'holderId' | 'heldAt' | 'askAt' | 'timesAsked'
>;

export function slotId(discountId: string, number: number): string {
  return `${discountId}:${String(number)}`;
}

export function free(number: number): Possession {
  return {
    state: 'FREE',
    holderKind: null,
    holderId: `free:${String(number)}`,
    heldAt: null,
    askAt: null,
    timesAsked: 0,
  };
}

export function heldBy({ kind, id, heldAt, askAt }: Holder): Possession {
  return { state: 'HELD', holderKind: kind, holderId: id, heldAt, askAt, timesAsked: 0 };
}
