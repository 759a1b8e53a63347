import type { CustomerAccount } from '@billing/gateway/operator/customer-routes';
import { useResource } from '../../api/queries';
import { Figure, Figures } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { moneyText, pluralText } from '../../parts/text/text';
import { Day } from '../../parts/element/values';
import type { Customer } from '../../resources/customer';
import { nextCharge } from './account';

/** Figures of a customer: what they owe and have paid, since when, and the next charge. */
export function AccountFigures({ customer }: { customer: Customer }) {
  const { id, currency, createdAt } = customer;
  const account = useResource<CustomerAccount>(`/dashboard/api/customers/${id}/account`);
  return (
    <Answer of={account} what="account" rows={3}>
      {({ accounts, isMore, plans }) => {
        const known = accounts.length > 0 ? accounts : [none(currency)];
        const next = nextCharge(plans);
        return (
          <Figures>
            {known.map((one) => (
              <Figure
                key={`owes ${one.currency}`}
                name="Owes"
                value={moneyText(one.owed, one.currency)}
                detail={owedDetail(one)}
                {...(one.openInvoices > 0 && { href: `/invoices?customerId=${id}&status=OPEN` })}
              />
            ))}
            {known.map((one) => (
              <Figure
                key={`paid ${one.currency}`}
                name="Paid"
                value={`${moneyText(one.paid, one.currency)}${isMore ? '+' : ''}`}
                detail={<LastPaid account={one} />}
              />
            ))}
            <Figure
              name="Next charge"
              value={next === undefined ? 'None' : moneyText(next.total, next.currency)}
              detail={
                next !== undefined && (
                  <>
                    <Day at={next.at} /> · {next.productName}
                  </>
                )
              }
              {...(next !== undefined && { href: `/subscriptions/${next.subscriptionId}` })}
            />
            <Figure
              name="Customer since"
              value={<Day at={createdAt} />}
              detail={pluralText(plans.filter(isRunning).length, 'active subscription')}
            />
          </Figures>
        );
      }}
    </Answer>
  );
}

type Account = CustomerAccount['accounts'][number];

function none(currency: string): Account {
  const counts = { openInvoices: 0, paidInvoices: 0, firstPaidAt: null, lastPaidAt: null };
  return { currency, owed: 0, overdue: 0, paid: 0, ...counts };
}

function isRunning({ subscription }: CustomerAccount['plans'][number]): boolean {
  return subscription.status !== 'CANCELED';
}

function owedDetail({ openInvoices, overdue, currency }: Account): string {
  if (openInvoices === 0) return 'Nothing open';
  const open = pluralText(openInvoices, 'open invoice');
  return overdue === 0 ? open : `${open}, ${moneyText(overdue, currency)} overdue`;
}

function LastPaid({ account: { paidInvoices, lastPaidAt } }: { account: Account }) {
  if (lastPaidAt === null) return <>No payment yet</>;
  return (
    <>
      {pluralText(paidInvoices, 'paid invoice')}, last <Day at={lastPaidAt} />
    </>
  );
}
