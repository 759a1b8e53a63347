import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { ActivationButton, ActiveBadge } from '../../parts/active';
import { typedCount } from '../../parts/amount';
import { DialogButton } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { PageLayout, Panel } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import { countText } from '../../parts/text';
import { Day, Facts } from '../../parts/values';
import { ProductLinks } from '../products/product-links';
import { type Discount, redemptionsText, termsText } from './discount-text';

/** One discount: its terms, and how often it was redeemed. */
export function DiscountPage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Discount>(`/v1/discounts/${id}`);
  return (
    <Answer of={answer} what="discount">
      {(discount) => <DiscountView discount={discount} />}
    </Answer>
  );
}

function DiscountView({ discount }: { discount: Discount }) {
  const { code, startsAt, endsAt, productIds, redemptionCount, maxRedemptions } = discount;
  return (
    <PageLayout
      title={discount.name}
      lead={termsText(discount)}
      back={{ href: '/discounts', label: 'Discounts' }}
      actions={<DiscountActions discount={discount} />}
    >
      <div className="panels">
        <Panel title="Terms">
          <Facts
            facts={[
              ['State', <ActiveBadge key="state" active={discount.active} />],
              ['Code', code === null ? '–' : <code key="code">{code}</code>],
              ['Takes', termsText(discount)],
              ['From', <Day key="from" at={startsAt} />],
              ['Until', <Day key="until" at={endsAt} />],
              [
                'Products',
                productIds.length === 0 ? 'All' : <ProductLinks key="products" ids={productIds} />,
              ],
              ['Id', <code key="id">{discount.id}</code>],
            ]}
          />
        </Panel>
        <Panel title="Redemptions">
          <p className="figure-value">{redemptionsText(discount)}</p>
          {maxRedemptions !== null && (
            <meter
              aria-label={`${countText(redemptionCount)} of ${countText(maxRedemptions)} redemptions`}
              min={0}
              max={maxRedemptions}
              value={redemptionCount}
            />
          )}
          <p className="faint">
            Held by an open checkout, or redeemed. An abandoned checkout gives its own back.
          </p>
        </Panel>
      </div>
    </PageLayout>
  );
}

function DiscountActions({ discount }: { discount: Discount }) {
  const refusal = useRefusal('discounts');
  const change = useAction((body: object) => ({
    method: 'PATCH',
    path: `/v1/discounts/${discount.id}`,
    body,
  }));
  return (
    <>
      <DialogButton label="Change" tone="quiet" title="Change discount" refusal={refusal}>
        {(close) => (
          <Form
            submit="Save"
            onCancel={close}
            onSubmit={async (values) => {
              const maxRedemptions = typedCount(values.optional('maxRedemptions')) ?? null;
              await change.mutateAsync({ name: values.text('name'), maxRedemptions });
              close();
            }}
          >
            <TextField name="name" label="Name" defaultValue={discount.name} />
            <TextField
              name="maxRedemptions"
              label="At most so many redemptions"
              inputMode="numeric"
              hint="Empty: no limit."
              defaultValue={discount.maxRedemptions ?? ''}
            />
          </Form>
        )}
      </DialogButton>
      <ActivationButton
        active={discount.active}
        what="this discount"
        refusal={refusal}
        onChange={change.mutateAsync}
        ending="Nobody can redeem it any more. Whoever has redeemed it keeps it."
        beginning="It can be redeemed again, within its time and its number of redemptions."
      />
    </>
  );
}
