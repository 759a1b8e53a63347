import { type ComponentProps, lazy, Suspense } from 'react';
import { Skeleton } from '../../parts/element/skeleton';

// Loaded when its dialog is opened: it has fields that pages of customers do not need.
const CustomerForm = lazy(async () => ({
  default: (await import('./customer-form')).CustomerForm,
}));

/** Form of a customer in a dialog. */
export function CustomerDialog(props: ComponentProps<typeof CustomerForm>) {
  return (
    <Suspense fallback={<Skeleton label="Loading the form" />}>
      <CustomerForm {...props} />
    </Suspense>
  );
}
