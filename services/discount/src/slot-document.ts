/** Kind of a redemption's holder. */
export type HolderKind =
  'CHECKOUT_SESSION' | 'SUBSCRIPTION' | 'SUBSCRIPTION_CHANGE' | 'SESSION_CODE';

/** A change of a subscription, in one round of its reservations. */
export interface ChangeRound {
  readonly subscriptionId: string;
  readonly changeId: string;
  readonly round: number;
}

/** A code that the payer of a session has typed, in one round of its codes. */
export interface CodeRound {
  readonly sessionId: string;
  readonly round: number;
}

/** Takes a slot and keeps it until it confirms or releases. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** Null: the holder is no change. */
  readonly change: ChangeRound | null;
  /** Null: the holder is no typed code. */
  readonly code: CodeRound | null;
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
  /** Absent: null; stored by an earlier release. */
  readonly holderChange?: ChangeRound | null;
  /** Absent: null; stored by an earlier release. */
  readonly holderCode?: CodeRound | null;
  readonly heldAt: Date | null;
  /** Held slots only. */
  readonly askAt: Date | null;
  /** Number of checks so far. */
  readonly timesAsked: number;
  /**
   * Real time of the last confirmation. Absent: never confirmed, or by an earlier release. An
   * earlier release may have left that of a former holder.
   */
  readonly confirmedAt?: Date;
}

/** The fields that change when a slot is taken. */
export type SlotState = Pick<
  SlotDocument,
  | 'state'
  | 'holderKind'
  | 'holderId'
  | 'holderChange'
  | 'holderCode'
  | 'heldAt'
  | 'askAt'
  | 'timesAsked'
>;

export function slotId(discountId: string, number: number): string {
  return `${discountId}:${String(number)}`;
}

export function free(number: number): SlotState {
  return {
    state: 'FREE',
    holderKind: null,
    holderId: `free:${String(number)}`,
    holderChange: null,
    holderCode: null,
    heldAt: null,
    askAt: null,
    timesAsked: 0,
  };
}

export function heldBy({ kind, id, change, code, heldAt, askAt }: Holder): SlotState {
  return {
    state: 'HELD',
    holderKind: kind,
    holderId: id,
    holderChange: change,
    holderCode: code,
    ...{ heldAt, askAt, timesAsked: 0 },
  };
}
