import { CircleCheck } from 'lucide-react';
import { Link } from 'wouter';
import type { Today } from '@billing/gateway/operator/today-routes';
import { Figure, Figures, Panel } from '../../parts/element/layout';
import { moneyText, pluralText } from '../../parts/text/text';
import { Sentence } from '../../resources/sentence';
import { todosOf, yesterdayText } from './todo';

/** Panel with the tasks of an operator. */
export function TodoPanel({ today }: { today: Today }) {
  const todos = todosOf(today);
  return (
    <Panel title="To do">
      {todos.length === 0 ? (
        <p className="nothing-to-do">
          <CircleCheck aria-hidden="true" />
          Nothing needs your attention.
        </p>
      ) : (
        <ul className="todos" aria-label="To do">
          {todos.map(({ id, sentence, link }) => (
            <li key={id}>
              <Sentence of={sentence} />
              {link !== undefined && (
                <Link className="button" href={link.href}>
                  {link.action}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Sales of today and yesterday, in each currency. */
export function SalesFigures({ sales }: { sales: Today['sales'] }) {
  const more = sales.isMore ? '+' : '';
  if (sales.data.length === 0) {
    return (
      <Figures>
        <Figure name="Invoiced today" value="None" detail="None yesterday" href="/invoices" />
      </Figures>
    );
  }
  return (
    <Figures>
      {sales.data.flatMap(({ currency, today, yesterday }) => [
        <Figure
          key={`${currency} invoiced`}
          name={`Invoiced today in ${currency}`}
          value={`${moneyText(today.invoiced.amount, currency)}${more}`}
          detail={`${pluralText(today.invoiced.count, 'invoice')} · ${yesterdayText(yesterday.invoiced, currency)}`}
          href="/invoices"
        />,
        <Figure
          key={`${currency} paid`}
          name={`Today’s invoices paid in ${currency}`}
          value={`${moneyText(today.paid.amount, currency)}${more}`}
          detail={
            yesterday.invoiced.count === 0
              ? 'None yesterday'
              : `Yesterday ${moneyText(yesterday.paid.amount, currency)} of ${moneyText(yesterday.invoiced.amount, currency)}`
          }
          href="/invoices?status=PAID"
        />,
      ])}
    </Figures>
  );
}
