import { type ReactNode, useState } from 'react';
import { SelectField, TextAreaField } from '../../parts/form';

export const tiersHint =
  'One a line: up to, rate of each unit, flat amount if any; the last line begins with “-”. Rates and amounts in the smallest unit: 0.5 of USD is half a cent.';

const tiered = [
  ['TIERED', 'In tiers, each unit by its own'],
  ['VOLUME', 'In tiers, all units by the one reached'],
] as const;

type PriceTypes = readonly (readonly [type: string, label: string])[];

/** How something is priced: in tiers, or by what `children` ask for in one of the other types. */
export function PricingFields({
  untiered,
  exampleTiers,
  children,
}: {
  /** The types that have no tiers; the first is chosen at first. */
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
        label="How it is priced"
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
