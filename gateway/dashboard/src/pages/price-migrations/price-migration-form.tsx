import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Page } from '../../api/client';
import { useAction, useResource } from '../../api/queries';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { chosenTime } from '../../parts/form/when';
import { WhenField } from '../../parts/form/when-field';
import { Answer } from '../../parts/element/notices';
import { Skeleton } from '../../parts/element/skeleton';
import { EmptyState } from '../../parts/element/layout';
import { PriceField, useSoldProducts } from '../../resources/pickers';
import type { PriceMigration } from './price-migration';
import { priceText, type Product } from '../../resources/product';
import type { Subscription } from '../../resources/subscription';

const modes = { DRY_RUN: 'Dry run: show the result, change nothing' };

/** Form for a new price migration, a dry run by default. */
export function PriceMigrationForm({ onDone }: { onDone: () => void }) {
  const [, navigate] = useLocation();
  const products = useSoldProducts({ recurring: true });
  const create = useAction<object, PriceMigration>(
    (body) => ({ method: 'POST', path: '/v1/price-migrations', body }),
    'Price migration started',
  );
  return (
    <Answer of={products} what="products">
      {({ data }) => {
        const [initial] = data;
        return initial === undefined ? (
          <EmptyState title="No recurring products">Create a product first.</EmptyState>
        ) : (
          <Form
            submit="Start"
            onCancel={onDone}
            onSubmit={async (values) => {
              const { id } = await create.mutateAsync({
                fromPriceId: values.text('fromPriceId'),
                toPriceId: values.text('toPriceId'),
                at: chosenTime(values),
                dryRun: values.all('mode').length > 0,
              });
              onDone();
              navigate(`/price-migrations/${id}`);
            }}
          >
            <OldPrice products={data} />
            <PriceField initial={initial} />
            <WhenField
              choices={[['PERIOD_END', 'At the next period start of each subscription']]}
              at="PERIOD_END"
              hint="Scheduled and paused subscriptions change immediately."
            />
            <ChoicesField
              name="mode"
              label="Mode"
              choices={Object.keys(modes)}
              labelOf={(mode) => modes[mode as keyof typeof modes]}
              marked={['DRY_RUN']}
            />
          </Form>
        );
      }}
    </Answer>
  );
}

const newest = 100;

/**
 * Old price: the versions that the newest and the oldest subscriptions have, or the id of any other
 * one.
 */
function OldPrice({ products }: { products: readonly Product[] }) {
  const [isTyped, setTyped] = useState(false);
  const { choices, isFailed } = useSubscribedPrices(products);
  if (isTyped || isFailed || choices?.length === 0) {
    return (
      <TextField
        name="fromPriceId"
        label="Old price ID"
        hint="The priceId of the subscriptions that have the old price."
        autoFocus={isTyped}
      />
    );
  }
  if (choices === undefined) return <Skeleton label="Loading prices" rows={1} />;
  return (
    <SelectField
      name="fromPriceId"
      label="Old price"
      hint="Prices of current subscriptions."
      choices={[...choices, [other, 'Another price…']]}
      onChange={(chosen) => {
        setTyped(chosen === other);
      }}
    />
  );
}

const other = '';

/** Price versions of subscriptions that have not ended, with their labels; undefined: loading. */
function useSubscribedPrices(products: readonly Product[]): {
  choices: [string, string][] | undefined;
  isFailed: boolean;
} {
  const query = { perPage: newest };
  const pages = [
    useResource<Page<Subscription>>('/v1/subscriptions', { query: { ...query, order: 'desc' } }),
    useResource<Page<Subscription>>('/v1/subscriptions', { query: { ...query, order: 'asc' } }),
  ];
  const isFailed = pages.some(({ error }) => error !== null);
  if (pages.some(({ data }) => data === undefined)) return { choices: undefined, isFailed };
  const names = new Map(products.map(({ id, name }) => [id, name]));
  const labels = new Map<string, string>();
  for (const { status, items } of pages.flatMap(({ data }) => data?.data ?? [])) {
    if (status === 'CANCELED') continue;
    for (const { price, productId } of items) {
      if (price === null) continue;
      const product = names.get(productId) ?? productId.slice(-4);
      labels.set(price.id, `${product}: ${priceText(price)} (${price.id.slice(-4)})`);
    }
  }
  return { choices: [...labels], isFailed };
}
