import { type ReactNode, useState } from 'react';
import { SelectField } from '../../parts/form/form';
import { TierTable } from './tier-table';
import type { TierRow } from './tier-values';

const tiered = [
  ['TIERED', 'Graduated tiers'],
  ['VOLUME', 'Volume tiers'],
] as const;

type PriceTypes = readonly (readonly [type: string, label: string])[];

/**
 * Pricing model, with a table of tiers, or `children` for the models without tiers. Both keep what
 * is typed while another model is chosen; the form sends only what is shown.
 */
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
  /** Fields of the chosen model, or of the last one without tiers. */
  children: (type: string) => ReactNode;
}) {
  const isTiered = (of: string) => tiered.some(([one]) => one === of);
  const types: PriceTypes = [...untiered, ...tiered];
  const [type, setType] = useState(initialType ?? types[0]?.[0] ?? '');
  const [lastUntiered, setLastUntiered] = useState(
    isTiered(type) ? (untiered[0]?.[0] ?? '') : type,
  );
  const choose = (chosen: string) => {
    setType(chosen);
    if (!isTiered(chosen)) setLastUntiered(chosen);
  };
  return (
    <>
      <SelectField
        name="type"
        label="Pricing model"
        value={type}
        onChange={choose}
        choices={types}
      />
      <TierTable rows={initialTiers} currency={currency} isShown={isTiered(type)} />
      <KeptFields isShown={!isTiered(type)}>{children(lastUntiered)}</KeptFields>
    </>
  );
}

/** Fields that keep what is typed while they are hidden, and are then not sent. */
export function KeptFields({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  return (
    <fieldset className="kept-fields" disabled={!isShown} hidden={!isShown}>
      {children}
    </fieldset>
  );
}
