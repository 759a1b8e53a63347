import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { currentPeriod, type Subscription } from '../subscription/subscription';
import type { ChangeCreditNote } from '../subscription/subscription-change';
import type { PreviewKeys } from './preview-key-store';
import {
  claimOf,
  type PresentFacts,
  type PreviewClaim,
  staleNames,
  tokenOf,
} from './preview-token';

const validForMs = 15 * 60 * 1000;

/** Keys that tokens are signed with. */
export interface TokenDependencies {
  readonly keys: Pick<PreviewKeys, 'secret'>;
}

/** Refuses a preview while the next period is due, which a change would enter first. */
export function checkNothingDue(subscription: Subscription, at: Date): void {
  const end = runsUntil(subscription);
  if (end === null || end >= at) return;
  throw new DomainError('unavailable', 'RENEWAL_DUE', 'Service unavailable');
}

/**
 * Environment time until which a token is honored: 15 minutes, and no longer than what runs: the
 * period or the pause.
 */
export function validUntilOf(at: Date, subscription: Subscription): Date {
  const until = new Date(at.getTime() + validForMs);
  const end = runsUntil(subscription);
  return end !== null && end < until ? end : until;
}

/** End of the running period, or the planned end of the pause that runs; null: none. */
function runsUntil(subscription: Subscription): Date | null {
  const { phase, resumeAt } = subscription;
  return phase === 'PAUSED' ? resumeAt : currentPeriod(subscription).end;
}

/** Signs the promise of a preview. */
export async function signedToken(
  {
    at,
    validUntil,
    ...claim
  }: Omit<PreviewClaim, 'nonce' | 'at' | 'validUntil'> & {
    readonly at: Date;
    readonly validUntil: Date;
  },
  context: CallContext,
  { keys }: TokenDependencies,
): Promise<string> {
  const times = { at: at.getTime(), validUntil: validUntil.getTime() };
  return tokenOf({ nonce: newId(), ...times, ...claim }, await sealOf(context, keys));
}

/**
 * Reads the claim of a token. Refuses one that was not signed for this environment, or for another
 * request.
 */
export async function claimFor(
  token: string,
  { request }: Pick<PreviewClaim, 'request'>,
  context: CallContext,
  { keys }: TokenDependencies,
): Promise<PreviewClaim> {
  const claim = claimOf(token, await sealOf(context, keys));
  if (claim === undefined) throw invalidInput({ previewToken: ['Preview token is not valid'] });
  if (claim.request !== request) {
    throw invalidInput({ previewToken: ['Preview is for another request'] });
  }
  return claim;
}

/** What a preview promises of credit notes. */
export function promisedNotes(creditNotes: readonly ChangeCreditNote[]): unknown[] {
  return creditNotes.map(({ invoiceId, amount, settledBy }) => [invoiceId, amount, settledBy]);
}

/** Refuses a claim that does not hold any more. */
export function refuseStale(claim: PreviewClaim, present: PresentFacts): void {
  const names = staleNames(claim, present);
  if (names.length > 0) throw previewStale(names);
}

/** Refusal of a token whose preview does not hold any more. */
function previewStale(names: readonly string[]): DomainError {
  const message = `Preview is stale: ${names.join(', ')}`;
  return new DomainError('failed_precondition', 'PREVIEW_STALE', message);
}

/** With a token, a refusal for the state of a fact is that of a stale preview. */
export function asStale(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.reason === 'BALANCE_MOVED') return previewStale(['balance']);
  if (error.reason === 'PRODUCT_NOT_FOUND') return previewStale(['price']);
  if (error.fields?.discountId !== undefined) return previewStale(['discount']);
  const isOfState = error.kind === 'failed_precondition' && error.reason !== 'PREVIEW_STALE';
  return isOfState ? previewStale(['subscription']) : error;
}

async function sealOf(context: CallContext, keys: TokenDependencies['keys']) {
  return { secret: await keys.secret(), environmentId: context.tenant.environmentId };
}
