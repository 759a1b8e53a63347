import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { CallContext } from '../grpc/call-context';
import { newId } from '../ids';
import type { PreviewKeys } from './preview-key-store';
import {
  claimOf,
  isInTime,
  isOfOtherCall,
  type PresentFacts,
  type PreviewClaim,
  staleNames,
  tokenOf,
} from './preview-token';

/** Keys that tokens are signed with. */
export interface TokenDependencies {
  readonly keys: Pick<PreviewKeys, 'secret'>;
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
  { request, call }: Pick<PreviewClaim, 'request' | 'call'>,
  context: CallContext,
  { keys }: TokenDependencies,
): Promise<PreviewClaim> {
  const claim = claimOf(token, await sealOf(context, keys));
  if (claim !== undefined && claim.call === call && claim.request === request) return claim;
  const isOther = claim !== undefined || isOfOtherCall(token, call);
  const problem = isOther ? 'Preview is for another request' : 'Preview token is not valid';
  throw invalidInput({ previewToken: [problem] });
}

/** Refuses a claim that does not hold any more. */
export function refuseStale(claim: PreviewClaim, present: PresentFacts): void {
  const names = staleNames(claim, present);
  if (names.length > 0) throw previewStale(names);
}

/** Refusal of a token whose preview does not hold any more. */
export function previewStale(names: readonly string[]): DomainError {
  const message = `Preview is stale: ${names.join(', ')}`;
  return new DomainError('failed_precondition', 'PREVIEW_STALE', message);
}

/** Refusal for the state of one fact, before the others are compared: the token may be late too. */
export function previewStaleBy(
  name: string,
  claim: Pick<PreviewClaim, 'at' | 'validUntil'>,
  { now }: Pick<CallContext, 'now'>,
): DomainError {
  const inTime = isInTime(claim, { now: now.getTime() });
  return previewStale(inTime ? [name] : ['time', name]);
}

async function sealOf(context: CallContext, keys: TokenDependencies['keys']) {
  return { secret: await keys.secret(), environmentId: context.tenant.environmentId };
}
