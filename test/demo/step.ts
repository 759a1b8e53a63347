import type { DiscountCode, MeterName, OfferKey } from './catalogue';
import type { Person } from './people';

/** Cards of the sandbox, by their behavior. */
export const cards = {
  good: '4242424242424242',
  other: '5555555555554444',
  declined: '4000000000000002',
  expired: '4000000000000069',
  failsWhenSaved: '4000000000000341',
  failsTwice: '4000000000005126',
  challenges: '4000002500003155',
} as const;

export type CardName = keyof typeof cards;

/** A purchase of a customer that a later step refers to. */
export type PurchaseName = 'first' | 'second';

/** The offer and terms of a purchase. */
export interface Purchase {
  readonly name: PurchaseName;
  readonly offer: OfferKey;
  readonly quantity: number;
  readonly discount: DiscountCode | undefined;
}

/**
 * One action of a customer, or of the shop on their behalf, through the public API or on a public
 * page.
 */
export type Step =
  | {
      readonly kind: 'REGISTER';
      readonly person: Person;
      readonly collectionMethod: 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';
    }
  | {
      readonly kind: 'SUBSCRIBE';
      readonly purchase: Purchase;
      /**
       * An authorization of this card; undefined: the saved card is charged, or an invoice is sent.
       */
      readonly card: CardName | undefined;
      readonly startAt: Date | undefined;
    }
  /** On the hosted page of an own session; `undefined` for the one-time product. */
  | {
      readonly kind: 'CHECK_OUT';
      readonly purchase: Purchase | undefined;
      /** Cards tried in turn; the last one works. Empty: the customer leaves. */
      readonly cards: readonly CardName[];
      readonly isPaid: boolean;
    }
  /** By the public link, which makes the customer too. */
  | { readonly kind: 'FOLLOW_LINK'; readonly purchase: Purchase; readonly card: CardName }
  | { readonly kind: 'CANCEL'; readonly purchase: PurchaseName; readonly atPeriodEnd: boolean }
  | { readonly kind: 'UNCANCEL'; readonly purchase: PurchaseName }
  /** In the portal. */
  | { readonly kind: 'CHANGE_CARD'; readonly card: CardName }
  /** Every open invoice, on its page. */
  | { readonly kind: 'PAY_INVOICES'; readonly card: CardName }
  /** Every open invoice, with what is saved. */
  | { readonly kind: 'RETRY_INVOICES' }
  | {
      readonly kind: 'GRANT_CREDITS';
      readonly meter: MeterName;
      readonly amount: number;
      readonly source: 'PROMOTIONAL' | 'PAID';
      readonly name: string;
      readonly expiresAt: Date;
    };

/** An event of `POST /v1/events/ingest` without the meter's id. */
export interface Usage {
  readonly eventId: string;
  readonly externalCustomerId: string;
  readonly meter: MeterName;
  readonly quantity: number;
  readonly timestamp: Date;
}
