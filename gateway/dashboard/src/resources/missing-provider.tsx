import type { toJsonProviderState } from '@billing/gateway/operator/provider-report-routes';
import { useResource } from '../api/queries';
import { Notice } from '../parts/element/notices';
import { countText } from '../parts/text/text';

type ProviderState = ReturnType<typeof toJsonProviderState>;

const askEveryMs = 60_000;

/** Warns that the live environment has no payment provider; hidden if it has one. */
export function MissingProvider() {
  const { data } = useResource<ProviderState>('/dashboard/api/payment-provider', {
    refetchMs: askEveryMs,
  });
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
