import { type ReactNode, useState } from 'react';
import { SelectField, TextAreaField } from '../../parts/form/form';

export const tiersHint =
  'One tier per line: up to, price per unit, optional flat fee. Start the last line with “-”. Prices are in the currency’s smallest unit, such as cents: 0.5 is half a cent.';

const tiered = [
  ['TIERED', 'Graduated tiers'],
  ['VOLUME', 'Volume tiers'],
] as const;

type PriceTypes = readonly (readonly [type: string, label: string])[];

/** Pricing model, with a field for tiers, or `children` for the models without tiers. */
export function PricingFields({
  untiered,
  exampleTiers,
  children,
}: {
  /** Models without tiers; the first is the default. */
  untiered: PriceTypes;
  exampleTiers: string;
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
        <TextAreaField name="tiers" label="Tiers" hint={tiersHint} defaultValue={exampleTiers} />
      ) : (
        children(type)
      )}
    </>
  );
}
