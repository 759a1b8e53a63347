import { lazy, Suspense, useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { metadataToType } from '../../parts/text/metadata-text';
import { countText } from '../../parts/text/text';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Skeleton } from '../../parts/element/skeleton';
import { withMeterPrice, withoutMeterPrice } from './meter-price-set';
import { PriceChart } from './price-chart';
import { curveOfMeterPrice } from './price-curve';
import type { Meter } from '../../resources/meter';
import { type MeterPrice, meterPriceText, type Product } from '../../resources/product';

// Loaded when its dialog is opened: it brings the pickers, which the page does not need.
const MeterPriceForm = lazy(async () => ({
  default: (await import('./meter-price-form')).MeterPriceForm,
}));

/** Usage-based prices of a product; new prices apply from each subscription's next period. */
export function MeterPricesPanel({ product }: { product: Product }) {
  const refusal = useRefusal('products');
  const meters = useResource<readonly Meter[]>('/v1/meters');
  const set = useAction(
    ({ prices }: { prices: readonly object[] }) => ({
      method: 'PATCH',
      path: `/v1/products/${product.id}/meter-prices`,
      body: { prices },
    }),
    'Usage prices saved',
  );
  const replace = (price: { readonly meterId: string }) =>
    set.mutateAsync({ prices: withMeterPrice(product.meterPrices, price) });
  const nameOf = (meterId: string) =>
    meters.data?.find(({ id }) => id === meterId)?.name ?? meterId;
  return (
    <Panel
      title="Usage-based prices"
      actions={
        <DialogButton label="Add usage price" tone="quiet" refusal={refusal}>
          {(close) => (
            <Answer of={meters} what="the meters">
              {(found) => (
                <NewMeterPrice {...{ product, close }} meters={found} onSubmit={replace} />
              )}
            </Answer>
          )}
        </DialogButton>
      }
    >
      {product.meterPrices.length === 0 ? (
        <EmptyState title="No usage-based prices">
          Add a usage price to bill metered usage from each subscription’s next period.
        </EmptyState>
      ) : (
        <MeterPriceTable
          product={product}
          nameOf={nameOf}
          refusal={refusal}
          onChange={replace}
          onRemove={(price) =>
            set.mutateAsync({ prices: withoutMeterPrice(product.meterPrices, price) })
          }
        />
      )}
    </Panel>
  );
}

/** Form for the price of a meter that has none; prices of the others are edited in the table. */
function NewMeterPrice({
  product: { currency, meterPrices },
  meters,
  close,
  onSubmit,
}: {
  product: Product;
  meters: readonly Meter[];
  close: () => void;
  onSubmit: (price: { readonly meterId: string }) => Promise<unknown>;
}) {
  const priced = new Set(meterPrices.map(({ meterId }) => meterId));
  const free = meters.filter(({ id }) => !priced.has(id));
  if (meters.length === 0) {
    return <EmptyState title="No meters yet">Create one on the Usage page first.</EmptyState>;
  }
  if (free.length === 0) {
    return (
      <EmptyState title="Every meter has a price">
        Change it with <em>Edit price</em>.
      </EmptyState>
    );
  }
  return (
    <Suspense fallback={<Skeleton label="Loading the form" />}>
      <MeterPriceForm
        meters={free}
        currency={currency}
        onCancel={close}
        onSubmit={async (price) => {
          await onSubmit(price);
          close();
        }}
      />
    </Suspense>
  );
}

const metadataColumn: Column<MeterPrice> = {
  title: 'Metadata',
  text: ({ metadata }) => metadataToType(metadata).replaceAll('\n', ', '),
};

function MeterPriceTable({
  product: { currency, meterPrices },
  nameOf,
  refusal,
  onChange,
  onRemove,
}: {
  product: Product;
  nameOf: (meterId: string) => string;
  refusal: string | undefined;
  onChange: (price: { readonly meterId: string }) => Promise<unknown>;
  onRemove: (price: MeterPrice) => Promise<unknown>;
}) {
  const [shownId, setShownId] = useState<string>();
  const shown = meterPrices.find(({ id }) => id === shownId);
  const currencyOf = () => currency;
  const hasMetadata = meterPrices.some(({ metadata }) => Object.keys(metadata).length > 0);
  return (
    <>
      <DataTable<MeterPrice>
        caption="Meter prices"
        columns={[
          { title: 'Meter', text: ({ meterId }) => nameOf(meterId) },
          { title: 'Price', text: (price) => meterPriceText(price, currency) },
          includedColumn,
          moneyColumn('Minimum', ({ minimumAmount }) => minimumAmount, currencyOf),
          moneyColumn('Maximum', ({ maximumAmount }) => maximumAmount, currencyOf),
          ...(hasMetadata ? [metadataColumn] : []),
          {
            title: 'Actions',
            text: () => '',
            cell: (price) => (
              <span className="actions">
                <Button
                  aria-pressed={price.id === shownId}
                  aria-label={`Preview the price of ${nameOf(price.meterId)}`}
                  onClick={() => {
                    setShownId(price.id === shownId ? undefined : price.id);
                  }}
                >
                  Preview{' '}
                </Button>
                <EditButton
                  {...{ price, currency, refusal, onChange }}
                  name={nameOf(price.meterId)}
                />
                <ConfirmButton
                  label="Remove"
                  title={`Remove the price of ${nameOf(price.meterId)}?`}
                  refusal={refusal}
                  onConfirm={() => onRemove(price)}
                >
                  <p>Subscriptions keep this price until their current period ends.</p>
                </ConfirmButton>
              </span>
            ),
          },
        ]}
        rows={meterPrices}
        rowKey={({ meterId }) => meterId}
      />
      {shown !== undefined && (
        <Preview price={shown} name={nameOf(shown.meterId)} currency={currency} />
      )}
    </>
  );
}

/** Chart of a price. */
function Preview({
  price,
  name,
  currency,
}: {
  price: MeterPrice;
  /** Name of the meter. */
  name: string;
  currency: string;
}) {
  return (
    <>
      <h3>{name} per period</h3>
      <PriceChart
        caption={`Price of ${name} by units per period`}
        points={curveOfMeterPrice(price)}
        currency={currency}
      />
    </>
  );
}

/** Form with the terms of a price. */
function EditButton({
  price,
  name,
  currency,
  refusal,
  onChange,
}: {
  price: MeterPrice;
  /** Name of the meter. */
  name: string;
  currency: string;
  refusal: string | undefined;
  onChange: (price: { readonly meterId: string }) => Promise<unknown>;
}) {
  return (
    <DialogButton
      label="Edit price"
      title={`Edit the price of ${name}`}
      tone="quiet"
      refusal={refusal}
    >
      {(close) => (
        <Suspense fallback={<Skeleton label="Loading the form" />}>
          <MeterPriceForm
            meters={[]}
            {...{ price, currency }}
            onCancel={close}
            onSubmit={async (changed) => {
              await onChange(changed);
              close();
            }}
          />
        </Suspense>
      )}
    </DialogButton>
  );
}

/** A quantity as a decimal; whole ones with separators of thousands. */
function unitsText(units: string): string {
  return /^\d+$/.test(units) ? countText(Number(units)) : units;
}

const includedColumn: Column<MeterPrice> = {
  title: 'Included',
  align: 'end',
  text: ({ includedUnits }) => includedUnits,
  cell: ({ includedUnits }) => unitsText(includedUnits),
};
