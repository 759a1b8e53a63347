import type { Tier, TierInput } from '@billing/kernel/tiers';
import type { Tier as ProtoTier } from '@billing/proto/billing/catalog/v1/catalog';
import type { SentChoice } from './price';

/** An empty list is how a message says that there is none. */
export function fromProtoTiers(tiers: readonly ProtoTier[]): TierInput[] | undefined {
  if (tiers.length === 0) return undefined;
  return tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? null }));
}

export function toProtoTiers(tiers: readonly Tier[] | null): ProtoTier[] {
  return (tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined }));
}

/** Enum values count from 1; 0 stands for "not sent". */
export function fromProtoChoice<T extends string>(
  choices: Readonly<Record<T, number>>,
  sent: number,
): SentChoice<T> {
  if (sent === 0) return undefined;
  const names = Object.keys(choices) as T[];
  return names.find((name) => choices[name] === sent) ?? 'UNKNOWN';
}
