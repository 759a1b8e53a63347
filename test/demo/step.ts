import type { DiscountCode, MeterName, OfferKey } from './catalogue';
import type { Person } from './people';

/** Cards of the sandbox, by how they behave. */
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

/** A purchase of a customer that a later step comes back to. */
export type PurchaseName = 'first' | 'second';

/** What is bought, and how. */
export interface Purchase {
  readonly name: PurchaseName;
  readonly offer: OfferKey;
  readonly quantity: number;
  readonly discount: DiscountCode | undefined;
}

/** One thing that a customer, or the shop for them, does through the public API or on a public page. */
export type Step =
  | {
      readonly kind: 'REGISTER';
      readonly person: Person;
      readonly collectionMethod: 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';
    }
  | {
      readonly kind: 'SUBSCRIBE';
      readonly purchase: Purchase;
      /** An authorisation of this card; undefined: what is saved is charged, or an invoice is sent. */
      readonly card: CardName | undefined;
      readonly startAt: Date | undefined;
    }
  /** On the hosted page of a session of their own; with `undefined` for the product that is paid once. */
  | {
      readonly kind: 'CHECK_OUT';
      readonly purchase: Purchase | undefined;
      /** The cards tried one after another, the last of which works; none: they leave. */
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

/** An event of `POST /v1/events/ingest`, but for the meter's id. */
export interface Usage {
  readonly eventId: string;
  readonly externalCustomerId: string;
  readonly meter: MeterName;
  readonly quantity: number;
  readonly timestamp: Date;
}
