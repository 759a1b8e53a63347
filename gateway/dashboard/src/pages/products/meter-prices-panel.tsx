import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { metadataToType } from '../../parts/text/metadata-text';
import { countText } from '../../parts/text/text';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { EmptyState, Panel } from '../../parts/element/layout';
import { MeterPriceForm } from './meter-price-form';
import { sameMeterPrice } from './meter-price-set';
import { PriceChart } from './price-chart';
import { curveOfMeterPrice } from './price-curve';
import type { Meter } from '../../resources/meter';
import { type MeterPrice, meterPriceText, type Product } from '../../resources/product';

/** Usage-based prices of a product; new prices apply from each subscription's next period. */
export function MeterPricesPanel({ product }: { product: Product }) {
  const refusal = useRefusal('products');
  const meters = useResource<readonly Meter[]>('/v1/meters').data ?? [];
  const set = useAction(
    ({ prices }: { prices: readonly object[] }) => ({
      method: 'PATCH',
      path: `/v1/products/${product.id}/meter-prices`,
      body: { prices },
    }),
    'Usage prices saved',
  );
  const others = (meterId: string) =>
    product.meterPrices.filter((price) => price.meterId !== meterId).map(sameMeterPrice);
  const nameOf = (meterId: string) => meters.find(({ id }) => id === meterId)?.name ?? meterId;
  return (
    <Panel
      title="Usage-based prices"
      actions={
        <DialogButton label="Add usage price" tone="quiet" refusal={refusal}>
          {(close) => (
            <MeterPriceForm
              meters={meters}
              currency={product.currency}
              onCancel={close}
              onSubmit={async (price) => {
                await set.mutateAsync({ prices: [...others(price.meterId), price] });
                close();
              }}
            />
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
          onRemove={(price) => set.mutateAsync({ prices: others(price.meterId) })}
        />
      )}
    </Panel>
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
  onRemove,
}: {
  product: Product;
  nameOf: (meterId: string) => string;
  refusal: string | undefined;
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
        rowKey={({ id }) => id}
      />
      {shown !== undefined && (
        <>
          <h3>{nameOf(shown.meterId)} per period</h3>
          <PriceChart
            caption={`Price of ${nameOf(shown.meterId)} by units per period`}
            points={curveOfMeterPrice(shown)}
            currency={currency}
          />
        </>
      )}
    </>
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
