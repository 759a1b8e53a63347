import type { CustomerAccount } from '@billing/gateway/operator/customer-routes';
import { useResource } from '../../api/queries';
import { Figure, Figures } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { moneyText, pluralText } from '../../parts/text/text';
import { Day } from '../../parts/element/values';
import type { Customer } from '../../resources/customer';
import { nextCharge, planNames, subscriptionCounts } from './account';

/** Figures of a customer: what they owe and have paid, since when, and the next charge. */
export function AccountFigures({ customer }: { customer: Customer }) {
  const { id, currency, createdAt } = customer;
  const account = useResource<CustomerAccount>(`/dashboard/api/customers/${id}/account`);
  return (
    <Answer of={account} what="account" rows={3}>
      {({ accounts, isMore, plans }) => {
        const known = accounts.length > 0 ? accounts : [none(currency)];
        const next = nextCharge({ plans, accounts });
        const names = planNames(plans);
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
                value={`${moneyText(one.received, one.currency)}${isMore ? '+' : ''}`}
                detail={<LastPaid account={one} />}
              />
            ))}
            <Figure
              name="Next charge"
              value={next === undefined ? 'None' : moneyText(next.total, next.currency)}
              detail={
                next !== undefined && (
                  <>
                    <Day at={next.at} /> · {next.what}
                  </>
                )
              }
              {...(next !== undefined && { href: next.href })}
            />
            <Figure
              name="Plan"
              value={names === '' ? 'None' : names}
              detail={subscriptionCounts(plans)}
            />
            <Figure name="Customer since" value={<Day at={createdAt} />} />
          </Figures>
        );
      }}
    </Answer>
  );
}

type Account = CustomerAccount['accounts'][number];

function none(currency: string): Account {
  const counts = { openInvoices: 0, paidInvoices: 0, firstPaidAt: null, lastPaidAt: null };
  const sums = { owed: 0, overdue: 0, paid: 0, refunded: 0, received: 0 };
  return { currency, ...sums, nextCharge: null, ...counts };
}

function owedDetail({ openInvoices, overdue, currency }: Account): string {
  if (openInvoices === 0) return 'Nothing open';
  const open = pluralText(openInvoices, 'open invoice');
  return overdue === 0 ? open : `${open}, ${moneyText(overdue, currency)} overdue`;
}

function LastPaid({ account }: { account: Account }) {
  const { paidInvoices, lastPaidAt, refunded, currency } = account;
  if (lastPaidAt === null) return <>No payment yet</>;
  return (
    <>
      {pluralText(paidInvoices, 'paid invoice')}, last <Day at={lastPaidAt} />
      {refunded !== 0 && <>, after {moneyText(refunded, currency)} of refunds</>}
    </>
  );
}
