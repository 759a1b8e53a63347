import { DomainError } from '@billing/kernel/domain-error';
import type { Command, Transition } from '@billing/kernel/transition';
import { unchanged } from '@billing/kernel/transition';
import { type Customer, requireKnown, textsOf } from './customer';

/** Part of the erasure of a customer, in the other services. */
export type ErasureStep = 'DATA' | 'LATE_WRITES' | 'EVENTS';

/** Services that hold personal data of customers, in the order in which they erase it. */
const erasingServices = [
  // Ends its subscriptions before checkout ends the invoices that these leave.
  'subscription',
  'checkout',
  'metering',
  'notifier',
  'identity',
] as const;
export type ErasingService = (typeof erasingServices)[number];

const allSteps: readonly ErasureStep[] = ['DATA', 'LATE_WRITES', 'EVENTS'];

/** A step and the real time at which it begins. */
interface DueStep {
  readonly step: ErasureStep;
  readonly at: Date;
}

/** The erasure of a deleted customer. */
export interface Erasure {
  /** Real time of the deletion. */
  readonly erasedAt: Date;
  /** Null once all steps have begun. */
  readonly next: DueStep | null;
  /**
   * The customer right before the deletion, encoded, by which services find personal data; null
   * once no step needs it.
   */
  readonly customer: string | null;
}

/** Command that has a service take a step. */
export interface EraseCustomer extends Command {
  readonly type: 'eraseCustomer';
  readonly payload: {
    readonly service: ErasingService;
    readonly step: ErasureStep;
    readonly customer: string | null;
    /** True for the first command of a step, which also erases what this service holds. */
    readonly isFirst: boolean;
  };
}

/** Unfinished business between the organization and a customer. */
export interface Obligations {
  readonly hasActiveSubscription: boolean;
  readonly hasOpenSession: boolean;
  readonly hasOpenInvoice: boolean;
  readonly hasPendingRefundOrDispute: boolean;
  readonly hasBalance: boolean;
}

// Longer than any request that read the customer before the deletion.
const lateWritesAfterMs = 20_000;
// Until then webhooks and the feed can replay events.
const eventsAfterMs = 30 * 24 * 60 * 60_000;

const obligationTexts: readonly (readonly [keyof Obligations, string])[] = [
  ['hasActiveSubscription', 'an active subscription'],
  ['hasOpenSession', 'an open checkout session'],
  ['hasOpenInvoice', 'an open invoice'],
  ['hasPendingRefundOrDispute', 'a pending refund or dispute'],
  ['hasBalance', 'a balance'],
];

/** Throws for the first obligation that prevents a deletion. */
export function refuseObligations(obligations: Obligations): void {
  const found = obligationTexts.find(([name]) => obligations[name]);
  if (found === undefined) return;
  throw new DomainError('failed_precondition', 'CUSTOMER_IN_USE', `Customer has ${found[1]}`);
}

/**
 * Deletes a customer: erases the personal data and orders the erasure in the other services. The
 * record stays, so that the id is never used again. `encoded` is the customer as it was.
 */
export function eraseCustomer(
  customer: Customer,
  { realNow, encoded }: { readonly realNow: Date; readonly encoded: string },
): Transition<Customer> {
  requireKnown(customer);
  const at = new Date(realNow.getTime() + lateWritesAfterMs);
  const erasure = {
    erasedAt: realNow,
    next: { step: 'LATE_WRITES', at },
    customer: encoded,
  } as const;
  return {
    state: { ...blank(customer), erasure },
    events: [],
    commands: orders('DATA', encoded),
  };
}

/** Begins the step of an erasure that is due. */
export function continueErasure(customer: Customer, realNow: Date): Transition<Customer> {
  const { erasure } = customer;
  const next = erasure?.next ?? null;
  if (erasure === null || next === null || next.at > realNow) return unchanged(customer);
  const { step } = next;
  return {
    state: { ...customer, erasure: { ...erasure, next: stepAfter(step, erasure), customer: null } },
    events: [],
    commands: orders(step, erasure.customer),
  };
}

/**
 * Orders of all steps that have begun, which are given again after a restore. The data of the
 * customer is known while the next step needs it.
 */
export function begunOrders({ erasure }: Pick<Customer, 'erasure'>): EraseCustomer[] {
  if (erasure === null) return [];
  const { next, customer } = erasure;
  const begun = next === null ? allSteps : allSteps.slice(0, allSteps.indexOf(next.step));
  return begun.flatMap((step) => orders(step, customer));
}

function stepAfter(step: ErasureStep, { erasedAt }: Erasure): DueStep | null {
  if (step === 'EVENTS') return null;
  return { step: 'EVENTS', at: new Date(erasedAt.getTime() + eventsAfterMs) };
}

function orders(step: ErasureStep, customer: string | null): EraseCustomer[] {
  // A session that is paid by now has created a subscription.
  const first: readonly ErasingService[] = step === 'LATE_WRITES' ? ['checkout'] : [];
  return [...first, ...erasingServices].map((service, index) => ({
    type: 'eraseCustomer',
    payload: { service, step, customer, isFirst: index === 0 },
  }));
}

// Currency, collection method and tax exemption say nothing about a person.
function blank(customer: Customer): Customer {
  return {
    ...customer,
    externalId: null,
    email: '',
    ...textsOf({}),
    address: null,
    taxIds: [],
    locale: null,
    metadata: {},
  };
}
