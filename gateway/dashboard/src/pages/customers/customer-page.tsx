import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { DialogButton } from '../../parts/overlay/dialog';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { MetadataPanel } from '../../parts/resource/metadata';
import { Answer } from '../../parts/element/notices';
import { Day, Facts, ShortId } from '../../parts/element/values';
import { AuditLink } from '../../resources/audit/audit-link';
import { addressText } from '../../resources/address';
import { EmailPanel } from '../../resources/email/email-panel';
import { InvoiceTable } from '../../resources/invoice/invoice-table';
import { NewSubscriptionButton } from '../../resources/purchase/new-subscription-button';
import { SubscriptionTable } from '../../resources/subscription-table';
import { type Customer, customerName } from '../../resources/customer';
import { AccountFigures } from './account-figures';
import { ActivityPanel } from './activity-panel';
import { BalancePanel } from './balance-panel';
import { CheckoutButton } from './checkout-button';
import { type CustomerField, customerFields, termsOf } from './customer-fields';
import { CustomerDialog } from './customer-dialog';
import { DeleteButton } from './delete-button';
import { PaymentMethodPanel } from './payment-method-panel';
import { PortalButton } from './portal-button';
import { CreditPanel, UsagePanel } from './usage-panels';

/** Page of one customer. */
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
          <CheckoutButton customerId={id} />
          <PortalButton customerId={id} />
          <DialogButton label="Edit" title="Edit customer" tone="quiet" refusal={refusal}>
            {(close) => <CustomerDialog customer={customer} onCancel={close} onDone={close} />}
          </DialogButton>
          <DeleteButton customer={customer} />
        </>
      }
    >
      <AccountFigures customer={customer} />
      <div className="panels">
        <ActivityPanel customer={customer} />
        <Panel title="Details" actions={<AuditLink id={customer.id} />}>
          <CustomerFacts customer={customer} />
        </Panel>
      </div>
      <SubscriptionPanel customerId={id} />
      <Panel title="Invoices">
        <InvoiceTable
          isOfOneCustomer
          query={{ customerId: id }}
          empty={
            <EmptyState title="No invoices yet">
              Invoices appear once a subscription is billed.
            </EmptyState>
          }
        />
      </Panel>
      <PaymentMethodPanel customerId={id} />
      <BalancePanel customer={customer} />
      <UsagePanel customerId={id} />
      <CreditPanel customerId={id} />
      <EmailPanel query={{ customerId: id }} />
      <MetadataPanel metadata={customer.metadata} path={`/v1/customers/${id}`} refusal={refusal} />
    </PageLayout>
  );
}

function SubscriptionPanel({ customerId }: { customerId: string }) {
  return (
    <Panel
      title="Subscriptions"
      actions={<NewSubscriptionButton customerId={customerId} tone="quiet" />}
    >
      <SubscriptionTable
        isOfOneCustomer
        query={{ customerId }}
        empty={
          <EmptyState title="No subscriptions yet">
            Create one with <em>New subscription</em> or send the customer a checkout link.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const factOf = ({ name, input }: CustomerField) => [input.label, customer[name] ?? '–'] as const;
  // The name is the title of the page.
  const listed = customerFields.filter(({ name }) => name !== 'name');
  return (
    <Facts
      facts={[
        ...listed.filter(({ isFixed }) => isFixed !== true).map(factOf),
        ['Address', addressText(customer.address)],
        ['Currency', customer.currency],
        ...termsOf(customer),
        ...listed.filter(({ isFixed }) => isFixed === true).map(factOf),
        ['Created', <Day key="since" at={customer.createdAt} />],
        ['ID', <ShortId key="id" id={customer.id} what="ID" />],
      ]}
    />
  );
}
