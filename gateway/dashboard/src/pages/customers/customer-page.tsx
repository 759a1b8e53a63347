import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { DialogButton } from '../../parts/dialog';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { MetadataPanel } from '../../parts/metadata';
import { Answer } from '../../parts/notices';
import { Day, Facts } from '../../parts/values';
import { InvoiceTable } from '../invoices/invoice-table';
import { SubscriptionForm } from '../subscriptions/subscription-form';
import { SubscriptionTable } from '../subscriptions/subscription-table';
import { type Customer, customerName } from './customer';
import { addressParts } from './customer-changes';
import { CustomerForm } from './customer-form';
import { PaymentMethodPanel } from './payment-method-panel';
import { PortalButton } from './portal-button';
import { CreditPanel, UsagePanel } from './usage-panels';

/** One customer at a glance. */
export function CustomerPage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Customer>(`/v1/customers/${id}`);
  return (
    <Answer of={answer} what="customer">
      {(customer) => <CustomerView customer={customer} />}
    </Answer>
  );
}

function CustomerView({ customer }: { customer: Customer }) {
  const refusal = useRefusal('customers');
  const { id, name, email } = customer;
  return (
    <PageLayout
      title={customerName(customer)}
      {...(name !== null && { lead: email })}
      back={{ href: '/customers', label: 'Customers' }}
      actions={
        <>
          <PortalButton customerId={id} />
          <DialogButton label="Change" title="Change customer" tone="quiet" refusal={refusal}>
            {(close) => <CustomerForm customer={customer} onCancel={close} onDone={close} />}
          </DialogButton>
        </>
      }
    >
      <Panel title="At a glance">
        <CustomerFacts customer={customer} />
      </Panel>
      <SubscriptionPanel customerId={id} />
      <Panel title="Invoices">
        <InvoiceTable
          isOfOneCustomer
          query={{ customerId: id }}
          empty={<EmptyState title="No invoices yet">They come with a subscription.</EmptyState>}
        />
      </Panel>
      <PaymentMethodPanel customerId={id} />
      <UsagePanel customerId={id} />
      <CreditPanel customerId={id} />
      <MetadataPanel metadata={customer.metadata} path={`/v1/customers/${id}`} refusal={refusal} />
    </PageLayout>
  );
}

function SubscriptionPanel({ customerId }: { customerId: string }) {
  const refusal = useRefusal('subscriptions');
  const [, navigate] = useLocation();
  return (
    <Panel
      title="Subscriptions"
      actions={
        <DialogButton label="New subscription" tone="quiet" refusal={refusal}>
          {(close) => (
            <SubscriptionForm
              customerId={customerId}
              onCancel={close}
              onMade={({ id }) => {
                navigate(`/subscriptions/${id}`);
              }}
            />
          )}
        </DialogButton>
      }
    >
      <SubscriptionTable
        isOfOneCustomer
        query={{ customerId }}
        empty={
          <EmptyState title="No subscriptions yet">
            Start one with <em>New subscription</em>, or send them to a checkout.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const { address, collectionMethod } = customer;
  const lines = addressParts.map((part) => address?.[part] ?? '').filter((line) => line !== '');
  return (
    <Facts
      facts={[
        ['E-mail', customer.email],
        ['Phone', customer.phone ?? '–'],
        ['Address', lines.length === 0 ? '–' : lines.join(', ')],
        ['Currency', customer.currency],
        [
          'How they pay',
          collectionMethod === 'SEND_INVOICE' ? 'By invoice' : 'Charged automatically',
        ],
        ['External id', customer.externalId ?? '–'],
        ['Since', <Day key="since" at={customer.createdAt} />],
        ['Id', <code key="id">{customer.id}</code>],
      ]}
    />
  );
}
