import { EmptyState } from '../../parts/element/layout';
import { Form, TextField } from '../../parts/form/form';
import { MetadataField } from '../../parts/resource/metadata';
import { type Metadata, typedMetadata } from '../../parts/text/metadata-text';
import type { Meter } from '../../resources/meter';
import { MeterField } from '../../resources/pickers';
import { newMeterPrice } from './meter-price-set';
import { meterPricePreview } from './price-preview';
import { PricePreview } from './price-preview-field';
import { PricingFields } from './pricing-fields';

const untiered = [
  ['PER_UNIT', 'Per unit'],
  ['PACKAGE', 'Per package'],
] as const;

const exampleTiers = [
  { upTo: '1000', unitAmount: '0.005', flatAmount: '' },
  { upTo: '', unitAmount: '0.0025', flatAmount: '' },
];

/** Form for the usage-based price of a meter. */
export function MeterPriceForm({
  meters,
  currency,
  onCancel,
  onSubmit,
}: {
  meters: readonly Meter[];
  currency: string;
  onCancel: () => void;
  onSubmit: (
    price: ReturnType<typeof newMeterPrice> & { readonly metadata: Metadata },
  ) => Promise<unknown>;
}) {
  if (meters.length === 0) {
    return <EmptyState title="No meters yet">Create one on the Usage page first.</EmptyState>;
  }
  return (
    <Form
      submit="Save price"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const metadata = typedMetadata(values.text('metadata'));
        await onSubmit({ ...newMeterPrice(values, currency), metadata });
      }}
    >
      <MeterField meters={meters} hint="Replaces the current price of this meter." />
      <PricingFields {...{ untiered, exampleTiers, currency }}>
        {(type) => (
          <>
            <TextField
              name="unitAmount"
              label={type === 'PACKAGE' ? 'Price per package' : 'Price per unit'}
              inputMode="decimal"
              hint={`In ${currency}, such as 0.005`}
            />
            {type === 'PACKAGE' && (
              <TextField name="packageSize" label="Units per package" inputMode="decimal" />
            )}
          </>
        )}
      </PricingFields>
      <TextField
        name="includedUnits"
        label="Included units"
        inputMode="decimal"
        hint="Optional. Free units in each period."
      />
      <TextField
        name="minimumAmount"
        label={`Minimum in ${currency}`}
        inputMode="decimal"
        hint="Optional. Charged in each period, even without usage."
      />
      <TextField
        name="maximumAmount"
        label={`Maximum in ${currency}`}
        inputMode="decimal"
        hint="Optional. The most that is charged in a period."
      />
      <MetadataField rows={3} />
      <PricePreview
        textOf={(values, quantity) =>
          meterPricePreview(newMeterPrice(values, currency), { quantity, currency })
        }
      />
    </Form>
  );
}
