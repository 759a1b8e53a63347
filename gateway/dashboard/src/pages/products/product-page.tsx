import { rateText } from '@billing/gateway/amount-text';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { ActivationButton, ActiveBadge } from '../../parts/resource/active';
import { amountToType, typedAmount } from '../../parts/text/amount';
import { DataTable } from '../../parts/table/data-table';
import { MetadataPanel } from '../../parts/resource/metadata';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form, TextField } from '../../parts/form/form';
import type { FormValues } from '../../parts/form/form-values';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { pluralText } from '../../parts/text/text';
import { Day, Facts, ShortId } from '../../parts/element/values';
import { MeterPricesPanel } from './meter-prices-panel';
import { PriceChart } from './price-chart';
import { curveOfProduct } from './price-curve';
import { AuditLink } from '../../resources/audit/audit-link';
import { priceText, type Product, tierSpanText } from '../../resources/product';
import { TaxCategoryField } from '../../resources/tax/tax-category';
import { PricePreview } from './price-preview-field';
import { productPreview } from './price-preview';
import { TierTable } from './tier-table';
import { tierRows, typedTiers } from './tier-values';

/** Page of one product: details, price by quantity and usage-based prices. */
export function ProductPage({ id = '' }: { readonly id?: string }) {
  const path = `/v1/products/${id}`;
  const answer = useResource<Product>(path);
  const refusal = useRefusal('products');
  return (
    <Answer of={answer} what="product">
      {(product) => (
        <PageLayout
          title={product.name}
          lead={priceText(product)}
          back={{ href: '/products', label: 'Products' }}
          actions={<ProductActions product={product} />}
        >
          <Panel title="Details" actions={<AuditLink id={product.id} />}>
            <ProductFacts product={product} />
          </Panel>
          {product.type !== 'FLAT' && <PricePanel product={product} />}
          <MeterPricesPanel product={product} />
          <MetadataPanel metadata={product.metadata} {...{ path, refusal }} />
        </PageLayout>
      )}
    </Answer>
  );
}

function ProductFacts({ product }: { product: Product }) {
  const { active, description, trialDays, taxCategory, lookupKey } = product;
  return (
    <Facts
      facts={[
        ['Status', <ActiveBadge key="state" active={active} />],
        ['Price', priceText(product)],
        ['Free trial', trialDays === null ? 'None' : pluralText(trialDays, 'day')],
        ['Description', description ?? '–'],
        ['Tax category', taxCategory],
        ['Lookup key', lookupKey === null ? '–' : <code key="key">{lookupKey}</code>],
        ['Created', <Day key="since" at={product.createdAt} />],
        ['ID', <ShortId key="id" id={product.id} what="ID" />],
        ['Price version', <ShortId key="price" id={product.priceId} what="price version" />],
      ]}
    />
  );
}

function PricePanel({ product }: { product: Product }) {
  const { currency, tiers } = product;
  const rows = (tiers ?? []).map((tier, index) => ({ ...tier, before: tiers?.[index - 1] }));
  type Row = (typeof rows)[number];
  return (
    <Panel title="Price by quantity">
      <PriceChart
        caption="Price of a period by quantity"
        points={curveOfProduct(product)}
        currency={currency}
      />
      {rows.length > 0 && (
        <DataTable<Row>
          caption="Tiers"
          columns={[
            { title: 'Units', text: ({ before, ...tier }) => tierSpanText(tier, before) },
            {
              title: 'Per unit',
              align: 'end',
              text: ({ unitAmount }) => rateText(unitAmount, currency),
            },
            {
              title: 'Flat fee',
              align: 'end',
              text: ({ flatAmount }) => rateText(flatAmount, currency),
            },
          ]}
          rows={rows}
          rowKey={({ upTo }) => upTo ?? 'open'}
        />
      )}
    </Panel>
  );
}

function ProductActions({ product }: { product: Product }) {
  const refusal = useRefusal('products');
  const change = useAction(
    (body: object) => ({
      method: 'PATCH',
      path: `/v1/products/${product.id}`,
      body,
    }),
    'Product saved',
  );
  return (
    <>
      <DialogButton label="Edit" tone="quiet" title="Edit product" refusal={refusal}>
        {(close) => (
          <Form
            submit="Save"
            onCancel={close}
            onSubmit={async (values) => {
              await change.mutateAsync({
                name: values.text('name'),
                description: values.optional('description') ?? null,
                taxCategory: values.optional('taxCategory') ?? STANDARD_CATEGORY,
                lookupKey: values.optional('lookupKey') ?? null,
                ...typedPrice(values, product),
              });
              close();
            }}
          >
            <TextField name="name" label="Name" defaultValue={product.name} />
            <TextField
              name="description"
              label="Description"
              defaultValue={product.description ?? ''}
            />
            <TextField
              name="lookupKey"
              label="Lookup key"
              defaultValue={product.lookupKey ?? ''}
              hint="Optional. Stable key for your code, such as “pro-monthly”."
            />
            <PriceField product={product} />
            <TaxCategoryField category={product.taxCategory} />
            <p className="faint">
              A new price applies to new subscriptions. Existing subscriptions keep theirs.
            </p>
          </Form>
        )}
      </DialogButton>
      <ActivationButton
        active={product.active}
        what="this product"
        refusal={refusal}
        onChange={change.mutateAsync}
        ending="Customers can no longer buy it. Existing subscriptions continue."
        beginning="Customers can buy it again."
      />
    </>
  );
}

function PriceField({ product: { type, tiers, amount, currency } }: { product: Product }) {
  if (tiers === null) {
    return (
      <TextField
        name="amount"
        label={`Amount in ${currency}`}
        inputMode="decimal"
        defaultValue={amountToType(amount, currency)}
      />
    );
  }
  return (
    <>
      <TierTable rows={tierRows(tiers, currency)} currency={currency} />
      <PricePreview
        textOf={(values, quantity) => {
          const typed = { type, amount: 0, tiers: typedTiers(values, currency) };
          return productPreview(typed, { quantity, currency });
        }}
      />
    </>
  );
}

/** The changed price: its tiers, or its amount. */
function typedPrice(values: FormValues, { tiers, currency }: Product): object {
  return tiers === null
    ? { amount: typedAmount(values.text('amount'), currency) }
    : { tiers: typedTiers(values, currency) };
}
