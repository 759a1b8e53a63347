import type { Tier, TierInput } from '@billing/kernel/tiers';
import type { Tier as ProtoTier } from '@billing/proto/billing/catalog/v1/catalog';

/** A proto list cannot be absent: an empty list stands for no tiers. */
export function fromProtoTiers(tiers: readonly ProtoTier[]): TierInput[] | undefined {
  if (tiers.length === 0) return undefined;
  return tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? null }));
}

export function toProtoTiers(tiers: readonly Tier[] | null): ProtoTier[] {
  return (tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined }));
}
