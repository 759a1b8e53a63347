import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Kinds of facts that a preview is computed from, in the order in which a refusal names them. */
export const previewInputs = [
  'subscription',
  'price',
  'discount',
  'customer',
  'invoice',
  'tax',
] as const;
export type PreviewInput = (typeof previewInputs)[number];

/** A previewed call of another service than subscription. */
export type PreviewedCall = 'CHECKOUT';

/** Claims of a token about its preview. */
export interface PreviewClaim {
  /** Makes the tokens of equal previews differ. */
  readonly nonce: string;
  /** Environment times in milliseconds since 1970. */
  readonly at: number;
  readonly validUntil: number;
  /** Call that uses it; absent: one of a subscription. Other services sign with other secrets. */
  readonly call?: PreviewedCall | undefined;
  /** Digest of the request. */
  readonly request: string;
  /** Digest of the result that was promised. */
  readonly promised: string;
  /** Amount that the customer's balance pays; a decimal string. */
  readonly balanceApplied: string;
  /**
   * Digest of the state that the result is for: the same result for another state is not what was
   * promised. Absent: there is none, or an earlier release has signed the token.
   */
  readonly madeFor?: string | undefined;
  /** Digests of the facts. */
  readonly inputs: Readonly<Record<PreviewInput, string>>;
}

/** Secret and environment of a token. */
export interface TokenSeal {
  readonly secret: string;
  readonly environmentId: string;
}

const digestLength = 12;

/** Short digest of facts that can be written as JSON. */
export function digestOf(facts: unknown): string {
  const text = JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const hash = createHash('sha256').update(text).digest();
  return hash.subarray(0, digestLength).toString('base64url');
}

/** Signs a claim for one environment. */
export function tokenOf(claim: PreviewClaim, seal: TokenSeal): string {
  const payload = Buffer.from(JSON.stringify(claim)).toString('base64url');
  return `${payload}.${proofOf(payload, seal)}`;
}

/** Reads the claim of a token; undefined for one that was not signed for the environment. */
export function claimOf(token: string, seal: TokenSeal): PreviewClaim | undefined {
  const [payload = '', proof = ''] = token.split('.');
  const [sent, expected] = [proof, proofOf(payload, seal)].map((text) => Buffer.from(text));
  if (sent === undefined || expected === undefined || sent.length !== expected.length) {
    return undefined;
  }
  if (!timingSafeEqual(sent, expected)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as PreviewClaim;
}

/**
 * True if a token says that it is of another call than the one that got it. The signature is not
 * checked: another service has signed it.
 */
export function isOfOtherCall(token: string, call: PreviewedCall | undefined): boolean {
  const [payload = ''] = token.split('.');
  try {
    const read = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Partial<PreviewClaim>;
    return typeof read.nonce === 'string' && read.call !== call;
  } catch {
    return false;
  }
}

/** True from the instant of a preview on, until its token expires. */
function isInTime(
  { at, validUntil }: Pick<PreviewClaim, 'at' | 'validUntil'>,
  { now }: Pick<PresentFacts, 'now'>,
): boolean {
  return at <= now && now <= validUntil;
}

/** Present facts, to compare a claim with. */
export interface PresentFacts {
  /** Environment time in milliseconds since 1970. */
  readonly now: number;
  readonly promised: string;
  /** Absent: the result holds for each state. */
  readonly madeFor?: string | undefined;
  readonly inputs: Readonly<Record<PreviewInput, string>>;
  /** True if the balance still covers what was shown. */
  readonly isBalanceLeft: boolean;
  /** Owner of facts that no digest covers; absent: the subscription. */
  readonly others?: PreviewInput;
}

/**
 * Names why a preview is stale, in the order of the contract; empty if it is honored. Facts that
 * moved without moving the result refuse nothing.
 */
export function staleNames(claim: PreviewClaim, present: PresentFacts): string[] {
  const inTime = isInTime(claim, present);
  const isSameResult = claim.promised === present.promised;
  const isForAny = claim.madeFor === undefined || present.madeFor === undefined;
  const isSameState = isForAny || claim.madeFor === present.madeFor;
  if (inTime && isSameResult && isSameState && present.isBalanceLeft) return [];
  const moved = isSameResult
    ? []
    : previewInputs.filter((name) => claim.inputs[name] !== present.inputs[name]);
  const named = new Set<string>([
    ...(inTime ? [] : ['time']),
    ...(isSameState ? [] : ['subscription']),
    ...moved,
    ...(present.isBalanceLeft ? [] : ['balance']),
  ]);
  // A result cannot move without a fact, so this names the owner of all of them.
  if (named.size === 0) named.add(present.others ?? 'subscription');
  return staleOrder.filter((name) => named.has(name));
}

const staleOrder = [
  'time',
  'subscription',
  'price',
  'discount',
  'customer',
  'balance',
  'invoice',
  'tax',
];

function proofOf(payload: string, { secret, environmentId }: TokenSeal): string {
  return createHmac('sha256', secret)
    .update(`preview:${environmentId}:${payload}`)
    .digest('base64url');
}
