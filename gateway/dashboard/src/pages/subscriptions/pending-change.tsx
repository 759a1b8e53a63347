import { useAction } from '../../api/queries';
import { Panel } from '../../parts/element/layout';
import { ClockTime, Day, Facts } from '../../parts/element/values';
import { isTime } from '../../parts/form/when';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { moneyText } from '../../parts/text/text';
import { DiscountLink } from '../../resources/discount-link';
import { ProductLink } from '../../resources/product-links';
import type { Subscription } from '../../resources/subscription';
import { isInUtc, timeTextOf } from '../../resources/purchase/preview';
import { itemsText, type SubscriptionChange } from './plan-change';

/** Panel of the change that waits for a period start, or is being paid. */
export function PendingChange({
  subscription: { pendingChange, currency },
  refusal,
}: {
  subscription: Pick<Subscription, 'pendingChange' | 'currency'>;
  refusal: string | undefined;
}) {
  if (pendingChange === null) return null;
  const { kind, status, at, effectiveAt, resumeAt, from, to } = pendingChange;
  const { monthlyAmountBefore, monthlyAmountAfter } = pendingChange;
  const waits = status === 'PENDING';
  const Time = isInUtc(pendingChange) ? ClockTime : Day;
  const money = (amount: number) => moneyText(amount, currency);
  return (
    <Panel
      title={waits ? scheduledTitle[kind] : 'Change in progress'}
      actions={waits && <TakeBack change={pendingChange} refusal={refusal} />}
    >
      {!waits && <p>The payment of this change is in progress.</p>}
      <Facts
        facts={[
          ['Takes effect', waits ? <Time key="at" at={effectiveAt} /> : 'Once it is paid'],
          ...(isTime(at) ? [['Not before', <Time key="chosen" at={at} />] as const] : []),
          ...(kind === 'PAUSE'
            ? [['Resumes', resumeAt === null ? '–' : <Time key="resume" at={resumeAt} />] as const]
            : []),
          ['Product', to.items.map(({ id, productId }) => <ProductLink key={id} id={productId} />)],
          ['Price now', itemsText(from.items)],
          ['Price then', itemsText(to.items)],
          ...(from.discountId === to.discountId
            ? []
            : [['Discount then', <DiscountThen key="discount" id={to.discountId} />] as const]),
          ['Amount a month', `${money(monthlyAmountBefore)} → ${money(monthlyAmountAfter)}`],
        ]}
      />
    </Panel>
  );
}

function DiscountThen({ id }: { id: string | null }) {
  return id === null ? 'None' : <DiscountLink id={id} />;
}

const scheduledTitle: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'Scheduled change',
  PAUSE: 'Scheduled pause',
  RESUME: 'Scheduled resume',
};

const keptText: Readonly<Record<SubscriptionChange['kind'], string>> = {
  UPDATE: 'The subscription keeps its plan, quantity and discount',
  PAUSE: 'The subscription continues',
  RESUME: 'The subscription stays paused',
};

function TakeBack({
  change,
  refusal,
}: {
  change: SubscriptionChange;
  refusal: string | undefined;
}) {
  const { id, kind, subscriptionId, effectiveAt } = change;
  const path = `/v1/subscriptions/${subscriptionId}/changes/${id}`;
  const take = useAction(() => ({ method: 'DELETE', path }), 'Change taken back');
  return (
    <ConfirmButton
      label="Take back"
      title="Take back the scheduled change?"
      confirm="Take back change"
      dismiss="Keep change"
      tone="main"
      refusal={refusal}
      onConfirm={() => take.mutateAsync({})}
    >
      <p>
        {keptText[kind]} after {timeTextOf(change)(effectiveAt)}.
      </p>
    </ConfirmButton>
  );
}
