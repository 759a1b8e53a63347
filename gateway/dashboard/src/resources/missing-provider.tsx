import type { toJsonProviderState } from '@billing/gateway/operator/provider-report-routes';
import { useResource } from '../api/queries';
import { Notice } from '../parts/element/notices';
import { countText } from '../parts/text/text';

type ProviderState = ReturnType<typeof toJsonProviderState>;

const askEveryMs = 60_000;

/** Says whether the live environment can charge cards. */
export function ProviderText() {
  const { data } = useProviderState();
  if (data?.isConfigured !== true) return null;
  return <p className="faint">Card payments are on: a payment provider is configured.</p>;
}

function useProviderState() {
  return useResource<ProviderState>('/dashboard/api/payment-provider', { refetchMs: askEveryMs });
}

/** Warns that the live environment has no payment provider; hidden if it has one. */
export function MissingProvider() {
  const { data } = useProviderState();
  if (data === undefined || data.isConfigured) return null;
  return (
    <Notice tone="wait">
      <p>
        <strong>No payment provider is configured.</strong> The live environment cannot charge
        cards. {waitingText(data.waitingInvoices)}
      </p>
    </Notice>
  );
}

function waitingText(count: number): string {
  if (count === 0) return 'Invoices stay open until a provider is configured.';
  const waiting = count === 1 ? '1 invoice stays' : `${countText(count)} invoices stay`;
  return `${waiting} open until a provider is configured.`;
}
