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
  initialType,
  initialTiers,
  currency,
  children,
}: {
  /** Models without tiers. */
  untiered: PriceTypes;
  /** Model at first; default: the first one. */
  initialType?: string | undefined;
  /** Tiers at first, also of a model that is chosen later. */
  initialTiers: readonly TierRow[];
  /** Currency of the prices. */
  currency: string;
  children: (type: string) => ReactNode;
}) {
  const isTiered = (of: string) => tiered.some(([one]) => one === of);
  const types: PriceTypes = [...untiered, ...tiered];
  const [type, setType] = useState(initialType ?? types[0]?.[0] ?? '');
  return (
    <>
      <SelectField
        name="type"
        label="Pricing model"
        value={type}
        onChange={setType}
        choices={types}
      />
      {/* Keeps what is typed while another model is chosen. */}
      <TierTable rows={initialTiers} currency={currency} isShown={isTiered(type)} />
      {!isTiered(type) && children(type)}
    </>
  );
}
