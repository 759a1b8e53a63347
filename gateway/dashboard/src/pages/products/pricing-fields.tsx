import { type ReactNode, useState } from 'react';
import { SelectField } from '../../parts/form/form';
import { TierTable } from './tier-table';
import type { TierRow } from './tier-values';

const tiered = [
  ['TIERED', 'Graduated tiers'],
  ['VOLUME', 'Volume tiers'],
] as const;

type PriceTypes = readonly (readonly [type: string, label: string])[];

/** Pricing model, with a table of tiers, or `children` for the models without tiers. */
export function PricingFields({
  untiered,
  exampleTiers,
  currency,
  children,
}: {
  /** Models without tiers; the first is the default. */
  untiered: PriceTypes;
  exampleTiers: readonly TierRow[];
  /** Currency of the prices. */
  currency: string;
  children: (type: string) => ReactNode;
}) {
  const types: PriceTypes = [...untiered, ...tiered];
  const [type, setType] = useState(types[0]?.[0] ?? '');
  return (
    <>
      <SelectField
        name="type"
        label="Pricing model"
        value={type}
        onChange={setType}
        choices={types}
      />
      {tiered.some(([one]) => one === type) ? (
        <TierTable rows={exampleTiers} currency={currency} />
      ) : (
        children(type)
      )}
    </>
  );
}
