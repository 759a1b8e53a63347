import { lazy, Suspense } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { Skeleton } from '../../parts/element/skeleton';
import { DialogButton } from '../../parts/overlay/dialog';

// Loaded when its dialog is opened: it brings pickers and a review, which the pages do not need.
const SubscriptionForm = lazy(async () => ({
  default: (await import('./subscription-form')).SubscriptionForm,
}));

/** Opens the form for a new subscription, then the page of what it has created. */
export function NewSubscriptionButton({
  customerId,
  tone = 'main',
}: {
  /** Absent: the form has a field for it. */
  customerId?: string;
  tone?: 'main' | 'quiet';
}) {
  const refusal = useRefusal('subscriptions');
  const [, navigate] = useLocation();
  return (
    <DialogButton label="New subscription" tone={tone} refusal={refusal}>
      {(close) => (
        <Suspense fallback={<Skeleton label="Loading the form" />}>
          <SubscriptionForm
            customerId={customerId}
            onCancel={close}
            onCreated={({ id }) => {
              navigate(`/subscriptions/${id}`);
            }}
          />
        </Suspense>
      )}
    </DialogButton>
  );
}
