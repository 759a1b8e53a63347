import type { Transition } from '@billing/kernel/transition';
import type { SubscriptionEvent } from './announcement';
import type { BillingCommand } from './command';
import type { Subscription } from './subscription';

/** Derives the id of a period's invoice; the same period always has the same id. */
export type InvoiceIdOf = (periodIndex: number) => string;

/** Inputs of a decision that come from outside. */
export interface Decision {
  /** Environment time. */
  readonly now: Date;
  readonly invoiceIdOf: InvoiceIdOf;
  /** Derives the id of the change with which a period begins after a pause. */
  readonly resumeIdOf: (periodIndex: number) => string;
  /** Derives the id of the invoice of a pause that begins at the end of a period. */
  readonly pauseInvoiceIdOf: (periodIndex: number) => string;
  /** Derives the id of the invoice of usage of a period that is the last one of its cycle. */
  readonly usageInvoiceIdOf: (periodIndex: number) => string;
}

/** The decision of any rule about a subscription. */
export type SubscriptionTransition = Transition<Subscription, SubscriptionEvent, BillingCommand>;

/** A step of a subscription's life that follows from time alone. */
export interface LifeStep {
  readonly at: Date;
  readonly kind: 'START_TRIAL' | 'ENTER_PERIOD' | 'RESUME' | 'END' | 'BILL_LATE';
}

/** The next step that follows from time alone, and the decision when it is taken. */
export interface DueSteps<Step> {
  readonly next: (subscription: Subscription) => Step | undefined;
  readonly take: (
    subscription: Subscription,
    step: Step,
    decision: Decision,
  ) => SubscriptionTransition;
}
