import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId, newId } from '@billing/chassis/ids';
import type { DomainError } from '@billing/kernel/domain-error';
import { cancellationProblems } from '@billing/kernel/input/subscription';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { PreviewCancellationResponse } from '@billing/proto/billing/subscription/v1/change_service';
import { cancel, type CancellationCall, creditsOf, endOf } from '../lifecycle/cancellation';
import { checkNotCanceled, checkNotParked } from '../lifecycle/check-change';
import type { EndCredits } from '../lifecycle/plan-end';
import type { SettlementDependencies } from '../peer/metering';
import type { Peers } from '../peer/peers';
import { monthlyAmountOf } from '../subscription/change-side';
import type { Subscription } from '../subscription/subscription';
import { decisionOn } from '../storage/subscription-store';
import { creditNoteIdOf } from './create-change-invoice';
import { readEndInvoice } from './describe-end-invoice';
import { type FactDependencies, fetchPeriodFacts } from './find-period-facts';
import { nextRound } from './find-reserved-change';
import {
  claimFor,
  previewStaleBy,
  refuseStale,
  signedToken,
  type TokenDependencies,
} from '@billing/chassis/preview-promise';
import {
  checkNothingDue,
  invoiceDigest,
  madeForDigest,
  promisedNotes,
  type StaleInput,
  subscriptionDigest,
  validUntilOf,
} from './sign-preview';
import { digestOf, type PresentFacts, type PreviewClaim } from '@billing/chassis/preview-token';
import { checkEndBill, toProtoPreviewNote } from './read-quote';
import { decisionTime } from './reserve-and-store';

/** An end as asked for. */
export interface CancellationInput {
  readonly atPeriodEnd: boolean;
  readonly proration: 'NONE' | 'PRORATE';
}

/** An end as it would be at an instant. */
export interface PlannedEnd {
  readonly call: CancellationCall;
  readonly effectiveAt: Date;
  readonly credits: EndCredits;
}

/** Promise of the preview of an end. */
export interface PromisedEnd {
  readonly at: Date;
  /** Throws `preview_stale` if the end has another result. */
  readonly check: (subscription: Subscription, planned: PlannedEnd) => void;
  /** `preview_stale` for the state of a fact that has refused the end before that. */
  readonly refusedBy: (name: StaleInput) => Promise<DomainError>;
}

interface EndDependencies extends FactDependencies {
  readonly peers: Pick<Peers, 'checkout' | 'customers' | 'quotes'>;
}

type Dependencies = EndDependencies & TokenDependencies & SettlementDependencies;

/** Refuses a proration that does not go with the time of the end. */
export function checkCancellation(input: CancellationInput): void {
  refuseProblems(cancellationProblems(input));
}

/** Reads the facts of an end, and computes its credits. */
export async function planCancellation(
  callId: string,
  {
    stored,
    input: { atPeriodEnd, proration },
    at,
  }: {
    readonly stored: Stored<Subscription>;
    readonly input: CancellationInput;
    readonly at: Date;
  },
  context: CallContext,
  dependencies: EndDependencies,
): Promise<PlannedEnd> {
  const { state } = stored;
  const isCredited = proration === 'PRORATE' && state.phase === 'REGULAR';
  if (isCredited) checkNotParked(state);
  const facts = isCredited ? await fetchPeriodFacts(stored, context, dependencies, callId) : null;
  const creditNoteId = (invoiceId: string) =>
    creditNoteIdOf({ changeId: callId, invoiceId }, context);
  const terms = { facts, proration, creditNoteIdOf: creditNoteId };
  const { invoiceIdOf } = decisionOn(state.id, context.tenant, at);
  const credits = creditsOf(state, { ...terms, at, invoiceIdOf });
  const { environmentId } = context.tenant;
  const bill = {
    unusedLines: credits.unusedLines,
    invoiceId: derivedId(environmentId, state.id, 'end'),
  };
  await checkEndBill(state, bill, context, dependencies.peers);
  const reservedRound = credits.kept.length === 0 ? null : nextRound(state, callId);
  return {
    call: { id: callId, ...terms, instant: at, reservedRound },
    effectiveAt: endOf(state, { atPeriodEnd, at }),
    credits,
  };
}

/** Computes what an end would give back now, and signs it. Nothing is stored. */
export async function previewCancellation(
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: CancellationInput },
  call: CallContext,
  dependencies: Dependencies,
): Promise<PreviewCancellationResponse> {
  const stored = await dependencies.subscriptions.get(subscriptionId, call);
  const context = { ...call, now: decisionTime(stored, call) };
  checkCancellation(input);
  const { state } = stored;
  const { now: at } = context;
  checkNotCanceled(state);
  checkNothingDue(state, at);
  const planned = await planCancellation(newId(), { stored, input, at }, context, dependencies);
  const decision = decisionOn(state.id, context.tenant, at);
  const end = cancel(state, { ...decision, ...input, call: planned.call });
  const validUntil = validUntilOf(at, state);
  const claim = {
    ...{ at, validUntil },
    request: requestDigest(subscriptionId, input),
    promised: promisedDigest(state, planned),
    balanceApplied: '0',
    ...madeFor(state, planned),
    inputs: inputDigests(state, planned),
  };
  return {
    ...{ at, validUntil },
    token: await signedToken(claim, context, dependencies),
    effectiveAt: planned.effectiveAt,
    creditNotes: planned.credits.kept.map(toProtoPreviewNote),
    monthlyAmountBefore: monthlyAmountOf(state, state.items),
    ...(await readEndInvoice({ stored, end }, context, dependencies)),
  };
}

/** Reads the promise of a token. */
export async function promiseOfCancellation(
  token: string,
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: CancellationInput },
  context: CallContext,
  dependencies: TokenDependencies & Pick<EndDependencies, 'subscriptions'>,
): Promise<PromisedEnd> {
  const request = requestDigest(subscriptionId, input);
  const claim = await claimFor(token, { request }, context, dependencies);
  return {
    at: new Date(claim.at),
    check: (subscription, planned) => {
      const present: PresentFacts = {
        now: context.now.getTime(),
        promised: promisedDigest(subscription, planned),
        ...madeFor(subscription, planned),
        inputs: {
          ...inputDigests(subscription, planned),
          invoice: invoiceDigest(planned.call.facts, claim),
        },
        isBalanceLeft: true,
      };
      refuseStale(claim, present);
    },
    refusedBy: async (name) => {
      const { state } = await dependencies.subscriptions.get(subscriptionId, context);
      const inputs = { subscription: subscriptionDigest(state) };
      return previewStaleBy(name, claim, inputs, context);
    },
  };
}

// A flag is the same in each period that ends at its time.
function madeFor(
  subscription: Subscription,
  { effectiveAt, call: { instant } }: PlannedEnd,
): Pick<PreviewClaim, 'madeFor'> {
  const isNow = effectiveAt.getTime() === instant?.getTime();
  return isNow ? { madeFor: madeForDigest(subscription, { isNow }) } : {};
}

function requestDigest(
  subscriptionId: string,
  { atPeriodEnd, proration }: CancellationInput,
): string {
  return digestOf(['CANCEL', subscriptionId, atPeriodEnd, proration]);
}

// An unpaid invoice that the end voids is part of the result, too, and so are the lines put off
// that its last invoice bills.
function promisedDigest(
  { changes: { putOff } }: Subscription,
  { effectiveAt, credits: { kept, voided, unusedLines } }: PlannedEnd,
): string {
  const facts = [effectiveAt, promisedNotes(kept), promisedNotes(voided)];
  const lines = [...putOff.flatMap((one) => one.lines), ...unusedLines];
  const billed = lines.map(({ itemId, description, amount, discountAmount, taxCategory }) => [
    ...[itemId, description, amount.toString(), discountAmount.toString(), taxCategory ?? null],
  ]);
  // Tokens of the release before name no lines.
  return digestOf(billed.length === 0 ? facts : [...facts, billed]);
}

function inputDigests(
  subscription: Subscription,
  { call: { facts } }: PlannedEnd,
): PreviewClaim['inputs'] {
  return {
    subscription: subscriptionDigest(subscription),
    invoice: digestOf(facts),
    ...{ price: '', discount: '', customer: '', tax: '' },
  };
}
