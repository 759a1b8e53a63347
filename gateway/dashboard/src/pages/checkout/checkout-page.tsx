import { useState } from 'react';
import type { toJsonFunnel } from '@billing/gateway/dashboard/money-report-routes';
import type { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { useRefusal } from '../../api/environment';
import { useAction, usePage, useResource } from '../../api/queries';
import { Bars, Columns } from '../../parts/bars';
import { CopyText } from '../../parts/buttons';
import { DialogButton } from '../../parts/dialog';
import { ChoicesField, Form, SelectField, TextField } from '../../parts/form';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { Answer, Notice } from '../../parts/notices';
import { countText } from '../../parts/text';
import type { Discount } from '../discounts/discount-text';
import type { Product } from '../products/price-text';

type Funnel = ReturnType<typeof toJsonFunnel>;
type CheckoutLink = ReturnType<typeof toJsonCheckoutLink>;

const choicesMax = 100;

/** How many who began to pay did, and public offers that begin it. */
export function CheckoutPage() {
  const [days, setDays] = useState('30');
  const [link, setLink] = useState<CheckoutLink>();
  const funnel = useResource<Funnel>('/dashboard/api/reports/checkout', { query: { days } });
  return (
    <PageLayout
      title="Checkout"
      lead="Sessions in which somebody was asked to pay, and links that begin them."
      actions={<NewLink onMade={setLink} />}
    >
      {link !== undefined && (
        <Notice tone="good">
          <p>
            <strong>{link.label}</strong> is ready. Whoever opens this address picks a product and
            pays:
          </p>
          <CopyText text={link.url} what="link" />
        </Notice>
      )}
      <Panel title="Funnel">
        <SelectField
          name="days"
          label="Over"
          value={days}
          onChange={setDays}
          choices={[
            ['7', 'The last 7 days'],
            ['30', 'The last 30 days'],
            ['90', 'The last 90 days'],
            ['365', 'The last year'],
          ]}
        />
        <Answer of={funnel} what="checkout sessions">
          {(answer) => <FunnelView funnel={answer} />}
        </Answer>
      </Panel>
    </PageLayout>
  );
}

function FunnelView({ funnel }: { funnel: Funnel }) {
  const { created, completed, expired, open, days } = funnel;
  if (created + completed + expired === 0) {
    return (
      <EmptyState title="Nobody was asked to pay in this time">
        Make a checkout link with <em>New link</em>, or a session with{' '}
        <code>POST /v1/checkout</code>.
      </EmptyState>
    );
  }
  const bar = (label: string, value: number) => ({
    key: label,
    label,
    value,
    text: countText(value),
  });
  return (
    <>
      <Bars
        caption="Sessions by what became of them"
        bars={[
          bar('Begun', created),
          bar('Paid', completed),
          bar('Expired', expired),
          bar('Still open', Math.max(0, open)),
        ]}
      />
      <Columns
        caption="Sessions by day"
        times={days.map(({ day }) => day)}
        series={[
          { label: 'Paid', values: days.map((day) => day.completed) },
          { label: 'Expired', values: days.map((day) => day.expired) },
        ]}
        format={countText}
      />
    </>
  );
}

function NewLink({ onMade }: { onMade: (link: CheckoutLink) => void }) {
  const refusal = useRefusal('checkout-links');
  return (
    <DialogButton label="New link" title="New checkout link" refusal={refusal}>
      {(close) => (
        <LinkForm
          onCancel={close}
          onMade={(link) => {
            onMade(link);
            close();
          }}
        />
      )}
    </DialogButton>
  );
}

function LinkForm({
  onCancel,
  onMade,
}: {
  onCancel: () => void;
  onMade: (link: CheckoutLink) => void;
}) {
  const products = usePage<Product>('/v1/products', { active: true, perPage: choicesMax });
  const discounts = usePage<Discount>('/v1/discounts', { active: true, perPage: choicesMax });
  const create = useAction<object, CheckoutLink>((body) => ({
    method: 'POST',
    path: '/v1/checkout-links',
    body,
  }));
  const nameOf = new Map((products.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <Answer of={products} what="products">
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="There is nothing to sell yet">Make a product first.</EmptyState>
        ) : (
          <Form
            submit="Create link"
            onCancel={onCancel}
            onSubmit={async (values) => {
              const link = await create.mutateAsync({
                label: values.text('label'),
                productIds: values.all('productIds'),
                discountId: values.optional('discountId'),
                successUrl: values.optional('successUrl'),
              });
              onMade(link);
            }}
          >
            <TextField name="label" label="Title" hint="Visitors see it." />
            <ChoicesField
              name="productIds"
              label="Products"
              hint="Visitors pick one of them."
              choices={data.map(({ id }) => id)}
              labelOf={(id) => nameOf.get(id) ?? id}
            />
            <SelectField
              name="discountId"
              label="Discount"
              choices={[
                ['', 'None'],
                ...(discounts.data?.data ?? []).map(({ id, name }): readonly [string, string] => [
                  id,
                  name,
                ]),
              ]}
            />
            <TextField
              name="successUrl"
              label="Where payers go afterwards"
              type="url"
              hint="Empty: they stay on a page that thanks them."
            />
          </Form>
        )
      }
    </Answer>
  );
}
