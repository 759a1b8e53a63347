import { Form, TextField } from '../../parts/form/form';
import { MetadataField } from '../../parts/resource/metadata';
import { type Metadata, typedMetadata } from '../../parts/text/metadata-text';
import type { Meter } from '../../resources/meter';
import type { MeterPrice } from '../../resources/product';
import { MeterField } from '../../resources/pickers';
import { newMeterPrice, typedMeterPrice } from './meter-price-set';
import { meterPricePreview } from './price-preview';
import { PricePreview } from './price-preview-field';
import { KeptFields, PricingFields } from './pricing-fields';

const untiered = [
  ['PER_UNIT', 'Per unit'],
  ['PACKAGE', 'Per package'],
] as const;

const exampleTiers = [
  { upTo: '1000', unitAmount: '0.005', flatAmount: '' },
  { upTo: '', unitAmount: '0.0025', flatAmount: '' },
];

/** Form for a new usage-based price of one of the meters, or for a changed one. */
export function MeterPriceForm({
  meters,
  price,
  currency,
  onCancel,
  onSubmit,
}: {
  /** Meters to choose from. */
  meters: readonly Meter[];
  /** The price to change. */
  price?: MeterPrice;
  currency: string;
  onCancel: () => void;
  onSubmit: (
    changed: ReturnType<typeof newMeterPrice> & { readonly metadata: Metadata },
  ) => Promise<unknown>;
}) {
  const typed = price && typedMeterPrice(price, currency);
  return (
    <Form
      submit="Save price"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const metadata = typedMetadata(values.text('metadata'));
        await onSubmit({ ...newMeterPrice(values, currency), metadata });
      }}
    >
      {price === undefined ? (
        <MeterField meters={meters} />
      ) : (
        <input type="hidden" name="meterId" value={price.meterId} />
      )}
      <PricingFields
        {...{ untiered, currency }}
        initialType={typed?.type}
        initialTiers={typed?.rows ?? exampleTiers}
      >
        {(type) => (
          <>
            <TextField
              name="unitAmount"
              label={type === 'PACKAGE' ? 'Price per package' : 'Price per unit'}
              inputMode="decimal"
              hint={`In ${currency}, such as 0.005`}
              defaultValue={typed?.unitAmount}
            />
            <KeptFields isShown={type === 'PACKAGE'}>
              <TextField
                name="packageSize"
                label="Units per package"
                inputMode="decimal"
                defaultValue={typed?.packageSize}
              />
            </KeptFields>
          </>
        )}
      </PricingFields>
      <BoundFields {...{ typed, currency }} />
      <MetadataField rows={3} {...(price && { metadata: price.metadata })} />
      <PricePreview
        textOf={(values, quantity) =>
          meterPricePreview(newMeterPrice(values, currency), { quantity, currency })
        }
      />
    </Form>
  );
}

/** Included units, and the least and the most that is charged in a period. */
function BoundFields({
  typed,
  currency,
}: {
  typed: ReturnType<typeof typedMeterPrice> | undefined;
  currency: string;
}) {
  return (
    <>
      <TextField
        name="includedUnits"
        label="Included units"
        inputMode="decimal"
        hint="Optional. Free units in each period."
        defaultValue={typed?.includedUnits}
      />
      <TextField
        name="minimumAmount"
        label={`Minimum in ${currency}`}
        inputMode="decimal"
        hint="Optional. Charged in each period, even without usage."
        defaultValue={typed?.minimumAmount}
      />
      <TextField
        name="maximumAmount"
        label={`Maximum in ${currency}`}
        inputMode="decimal"
        hint="Optional. The most that is charged in a period."
        defaultValue={typed?.maximumAmount}
      />
    </>
  );
}
