import { DomainError, invalidInput, isRefusal } from '@billing/kernel/domain-error';
import type { CallContext } from '../grpc/call-context';
import { newId } from '../ids';
import type { PreviewKeys } from './preview-key-store';
import {
  claimOf,
  isOfOtherCall,
  type PresentFacts,
  type PreviewClaim,
  type PreviewInput,
  previewInputs,
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

// No digest is equal to it.
const refused = '-';

/** Digest of a fact, to name it in a refusal; undefined if its owner does not answer. */
export async function digestToName<T>(
  fact: Promise<T>,
  digest: (found: T) => string,
): Promise<string | undefined> {
  try {
    return digest(await fact);
  } catch (error) {
    return isRefusal(error) ? refused : undefined;
  }
}

/** Digests of facts; one that is undefined is not known to have moved. */
export type InputsToName = { readonly [name in PreviewInput]?: string | undefined };

/** Refusal for the state of one fact, before all are compared; names the others that have moved. */
export function previewStaleBy(
  name: PreviewInput | 'balance',
  claim: PreviewClaim,
  others: InputsToName,
  { now }: Pick<CallContext, 'now'>,
): DomainError {
  const inputs = { ...claim.inputs };
  for (const one of previewInputs)
    inputs[one] = one === name ? refused : (others[one] ?? inputs[one]);
  const present = { now: now.getTime(), promised: refused, inputs };
  return previewStale(staleNames(claim, { ...present, isBalanceLeft: name !== 'balance' }));
}

async function sealOf(context: CallContext, keys: TokenDependencies['keys']) {
  return { secret: await keys.secret(), environmentId: context.tenant.environmentId };
}
