import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { ActivationButton, ActiveBadge } from '../../parts/resource/active';
import { MetadataPanel } from '../../parts/resource/metadata';
import { typedCount } from '../../parts/text/amount';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form, TextField } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { countText } from '../../parts/text/text';
import { changedTime } from '../../parts/text/local-time-field';
import { ClockTime, Facts, ShortId } from '../../parts/element/values';
import { AuditLink } from '../../resources/audit/audit-link';
import { ProductLinks } from '../../resources/product-links';
import { type Discount, redemptionsText, termsText } from '../../resources/discount';

/** Page of one discount: its terms and redemptions. */
export function DiscountPage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Discount>(`/v1/discounts/${id}`);
  return (
    <Answer of={answer} what="discount">
      {(discount) => <DiscountView discount={discount} />}
    </Answer>
  );
}

function DiscountView({ discount }: { discount: Discount }) {
  const refusal = useRefusal('discounts');
  const { code, startsAt, endsAt, productIds, redemptionCount, maxRedemptions } = discount;
  return (
    <PageLayout
      title={discount.name}
      lead={termsText(discount)}
      back={{ href: '/discounts', label: 'Discounts' }}
      actions={<DiscountActions discount={discount} />}
    >
      <div className="panels">
        <Panel title="Terms" actions={<AuditLink id={discount.id} />}>
          <Facts
            facts={[
              ['Status', <ActiveBadge key="state" active={discount.active} />],
              ['Code', code === null ? '–' : <code key="code">{code}</code>],
              ['Discount', termsText(discount)],
              ['Valid from', startsAt === null ? '–' : <ClockTime key="from" at={startsAt} />],
              ['Valid until', endsAt === null ? '–' : <ClockTime key="until" at={endsAt} />],
              [
                'Products',
                productIds.length === 0 ? 'All' : <ProductLinks key="products" ids={productIds} />,
              ],
              ['ID', <ShortId key="id" id={discount.id} what="ID" />],
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
            Includes redemptions reserved by open checkouts. Expired checkouts release theirs.
          </p>
        </Panel>
      </div>
      <MetadataPanel
        metadata={discount.metadata}
        path={`/v1/discounts/${discount.id}`}
        refusal={refusal}
      />
    </PageLayout>
  );
}

function DiscountActions({ discount }: { discount: Discount }) {
  const refusal = useRefusal('discounts');
  const change = useAction(
    (body: object) => ({
      method: 'PATCH',
      path: `/v1/discounts/${discount.id}`,
      body,
    }),
    'Discount saved',
  );
  return (
    <>
      <DialogButton label="Edit" tone="quiet" title="Edit discount" refusal={refusal}>
        {(close) => (
          <Form
            submit="Save"
            onCancel={close}
            onSubmit={async (values) => {
              const maxRedemptions = typedCount(values.optional('maxRedemptions')) ?? null;
              const endsAt = changedTime(values.optional('endsAt'), discount.endsAt);
              await change.mutateAsync({ name: values.text('name'), maxRedemptions, endsAt });
              close();
            }}
          >
            <TextField name="name" label="Name" defaultValue={discount.name} />
            <TextField
              name="maxRedemptions"
              label="Redemption limit"
              inputMode="numeric"
              hint="Optional."
              defaultValue={discount.maxRedemptions ?? ''}
            />
            <TimeField name="endsAt" label="Valid until" hint="Optional." time={discount.endsAt} />
          </Form>
        )}
      </DialogButton>
      <ActivationButton
        active={discount.active}
        what="this discount"
        refusal={refusal}
        onChange={change.mutateAsync}
        ending="Customers can no longer redeem it. Existing redemptions stay."
        beginning="Customers can redeem it again, within its dates and redemption limit."
      />
    </>
  );
}
